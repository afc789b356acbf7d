import type { EVM, EVMResult, Message } from '@ethereumjs/evm';
import type { Address } from '@ethereumjs/util';
import { isPayment, toHex, type CallFrame, type CallType } from './call-tree.js';

/** The opcodes that send messages. */
const CALL_TYPES: ReadonlyMap<number, CallType> = new Map([
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xfa, 'STATICCALL'],
]);
/** Maximum messages to keep of a transaction or call. */
const MAX_FRAMES = 10_000;
/** Maximum bytes of input and output to keep. A contract can send the same memory many times for little gas. */
const MAX_BYTES = 1024 * 1024;

/** A message that has not returned yet. */
interface OpenMessage {
  readonly frame: CallFrame;
  /** True if it is in the tree with all its data. */
  readonly isKept: boolean;
}

/**
 * Records the call tree of an execution: 10,000 messages and 1 MiB of their data. Further messages are only counted,
 * except those that pay or lead to a payment: these stay in the tree without their data, so that an early callee cannot
 * hide a later payment. `trimCallTree` then trims the tree of a mined transaction by its gas.
 *
 * A SELFDESTRUCT is recorded with its contract's message and not counted: at 5,000 gas each there are few.
 */
export class CallTracer {
  private stack: OpenMessage[] = [];
  private root: CallFrame | null = null;
  private frames = 0;
  private bytes = 0;
  /** The last message-sending opcode that ran. */
  private opcode = 0;

  /** Subscribes to the messages of an EVM whose opcodes report to this tracer (see `tracedOpcodes`). */
  listenTo(evm: EVM): void {
    evm.events?.on('beforeMessage', (message) => this.enter(message));
    evm.events?.on('afterMessage', (result) => this.leave(result));
  }

  /** Called before an opcode sends a message. The opcode can still fail before it sends the message. */
  expectMessage(opcode: number): void {
    this.opcode = opcode;
  }

  /** Records a SELFDESTRUCT with the units for the heir. */
  addSelfDestruct(contract: Address, heir: Address, units: bigint): void {
    this.stack.at(-1)?.frame.calls.push({
      type: 'SELFDESTRUCT',
      from: toHex(contract.bytes),
      to: toHex(heir.bytes),
      value: units,
      gas: 0n,
      gasUsed: 0n,
      input: '0x',
      output: '0x',
      error: null,
      calls: [],
    });
  }

  /** Returns the tree of the last execution, and resets the tracer. */
  take(): CallFrame | null {
    const root = this.root;
    this.root = null;
    this.stack = [];
    this.frames = 0;
    this.bytes = 0;
    return root;
  }

  private enter(message: Message): void {
    const parent = this.stack.at(-1);
    // Messages below a message that is not kept are not kept either.
    const isKept = parent === undefined || (parent.isKept && this.hasRoomFor(message.data));
    const type = this.getCallType(message);
    const isDelegate = type === 'DELEGATECALL' || type === 'CALLCODE';
    const frame: CallFrame = {
      type,
      from: toHexAddress(isDelegate ? message.to : message.caller) ?? '0x',
      to: message.to === undefined ? null : toHexAddress(message.codeAddress),
      value: message.value,
      gas: message.gasLimit,
      gasUsed: 0n,
      input: isKept ? toHex(message.data) : '0x',
      output: '0x',
      error: null,
      calls: [],
    };
    if (isKept) {
      this.frames += 1;
      this.bytes += message.data.length;
      parent?.frame.calls.push(frame);
    } else if (message.data.length > 0) frame.inputOmitted = true;
    this.root ??= frame;
    this.stack.push({ frame, isKept });
  }

  private leave(result: EVMResult): void {
    const message = this.stack.pop();
    if (message === undefined) return;
    const { frame, isKept } = message;
    const { executionGasUsed, returnValue, exceptionError } = result.execResult;
    frame.gasUsed = executionGasUsed;
    frame.error = exceptionError?.error ?? null;
    if (frame.to === null && frame.error === null) frame.to = toHexAddress(result.createdAddress);
    if (isKept) this.keepOutput(frame, returnValue);
    else this.keepIfPaying(frame, returnValue);
  }

  /** Adds a message over the limits to the tree if it pays or leads to a payment. */
  private keepIfPaying(frame: CallFrame, output: Uint8Array): void {
    if (!isPayment(frame) && frame.calls.length === 0) {
      this.omit(1);
      return;
    }
    if (output.length > 0) frame.outputOmitted = true;
    this.omit(Number(frame.inputOmitted ?? false) + Number(frame.outputOmitted ?? false));
    this.stack.at(-1)?.frame.calls.push(frame);
  }

  private omit(pieces: number): void {
    if (this.root !== null && pieces > 0) this.root.omitted = (this.root.omitted ?? 0) + pieces;
  }

  private getCallType({ depth, to }: Message): CallType {
    const type = depth === 0 ? (to === undefined ? 'CREATE' : 'CALL') : CALL_TYPES.get(this.opcode);
    if (type === undefined) throw new Error('The EVM sent a message without an opcode');
    return type;
  }

  private hasRoomFor(data: Uint8Array): boolean {
    return this.frames < MAX_FRAMES && this.bytes + data.length <= MAX_BYTES;
  }

  /** Keeps an output within the limits. The outermost output belongs to the transaction, and is always kept here. */
  private keepOutput(frame: CallFrame, output: Uint8Array): void {
    const isOutermost = this.stack.length === 0;
    if (!isOutermost && this.bytes + output.length > MAX_BYTES) {
      frame.outputOmitted = true;
      this.omit(1);
      return;
    }
    this.bytes += output.length;
    frame.output = toHex(output);
  }
}

function toHexAddress(address: { readonly bytes: Uint8Array } | undefined): `0x${string}` | null {
  return address === undefined ? null : toHex(address.bytes);
}
