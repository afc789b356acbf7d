import type { EVM, EVMResult, Message } from '@ethereumjs/evm';
import type { Address } from '@ethereumjs/util';
import type { CallFrame, CallType } from './call-frame.js';
import { isPayment } from './is-payment.js';
import { toHex } from './to-hex.js';

/** The opcodes that send messages. */
const CALL_TYPES: ReadonlyMap<number, CallType> = new Map([
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xfa, 'STATICCALL'],
]);
/** Messages that are kept of a transaction or call. */
const MAX_FRAMES = 10_000;
/** Bytes of input and output that are kept of a transaction or call. A message may carry the same memory again and again for next to no gas. */
const MAX_BYTES = 1024 * 1024;

/** A message under way. */
interface OpenMessage {
  readonly frame: CallFrame;
  /** Whether it stands in the tree with all it carries. */
  readonly isKept: boolean;
}

/**
 * Keeps the call tree of what an EVM runs, 10,000 messages and 1 MiB of what they carry. Beyond that messages are counted only, but for those that pay or
 * lead to a payment, which stand in the tree without what they carry: whoever is called early must not be able to hide who is paid later. What stays of
 * a transaction in a block is a matter of its gas besides (see `trimCallTree`); what ran before it never matters.
 *
 * A SELFDESTRUCT stands where its contract's message stands and counts for none: it costs 5,000 gas, so there are few.
 */
export class CallTracer {
  #stack: OpenMessage[] = [];
  #root: CallFrame | null = null;
  #frames = 0;
  #bytes = 0;
  /** The opcode that ran last of those that send messages. */
  #opcode = 0;

  /** Listens to the messages of an EVM, whose opcodes tell of themselves (see `tracedOpcodes`). */
  listenTo(evm: EVM): void {
    evm.events?.on('beforeMessage', (message) => this.#enter(message));
    evm.events?.on('afterMessage', (result) => this.#leave(result));
  }

  /** The next message, unless it fails before it is sent, comes from this opcode. */
  expectMessage(opcode: number): void {
    this.#opcode = opcode;
  }

  /** A contract destroys itself and leaves its heir so many units. */
  addSelfDestruct(contract: Address, heir: Address, units: bigint): void {
    this.#stack.at(-1)?.frame.calls.push({
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

  /** The tree of the last execution; forgets it. */
  take(): CallFrame | null {
    const root = this.#root;
    this.#root = null;
    this.#stack = [];
    this.#frames = 0;
    this.#bytes = 0;
    return root;
  }

  #enter(message: Message): void {
    const parent = this.#stack.at(-1);
    // What is below a message that is not kept is not kept either.
    const isKept = parent === undefined || (parent.isKept && this.#hasRoomFor(message.data));
    const type = this.#typeOf(message);
    const isDelegate = type === 'DELEGATECALL' || type === 'CALLCODE';
    const frame: CallFrame = {
      type,
      from: addressOf(isDelegate ? message.to : message.caller) ?? '0x',
      to: message.to === undefined ? null : addressOf(message.codeAddress),
      value: message.value,
      gas: message.gasLimit,
      gasUsed: 0n,
      input: isKept ? toHex(message.data) : '0x',
      output: '0x',
      error: null,
      calls: [],
    };
    if (isKept) {
      this.#frames += 1;
      this.#bytes += message.data.length;
      parent?.frame.calls.push(frame);
    } else if (message.data.length > 0) frame.inputOmitted = true;
    this.#root ??= frame;
    this.#stack.push({ frame, isKept });
  }

  #leave(result: EVMResult): void {
    const message = this.#stack.pop();
    if (message === undefined) return;
    const { frame, isKept } = message;
    const { executionGasUsed, returnValue, exceptionError } = result.execResult;
    frame.gasUsed = executionGasUsed;
    frame.error = exceptionError?.error ?? null;
    if (frame.to === null && frame.error === null) frame.to = addressOf(result.createdAddress);
    if (isKept) this.#keepOutput(frame, returnValue);
    else this.#keepIfPaying(frame, returnValue);
  }

  /** What pays or leads to a payment stands in the tree after all. */
  #keepIfPaying(frame: CallFrame, output: Uint8Array): void {
    if (!isPayment(frame) && frame.calls.length === 0) {
      this.#omit(1);
      return;
    }
    if (output.length > 0) frame.outputOmitted = true;
    this.#omit(Number(frame.inputOmitted ?? false) + Number(frame.outputOmitted ?? false));
    this.#stack.at(-1)?.frame.calls.push(frame);
  }

  #omit(pieces: number): void {
    if (this.#root !== null && pieces > 0) this.#root.omitted = (this.#root.omitted ?? 0) + pieces;
  }

  #typeOf({ depth, to }: Message): CallType {
    const type = depth === 0 ? (to === undefined ? 'CREATE' : 'CALL') : CALL_TYPES.get(this.#opcode);
    if (type === undefined) throw new Error('The EVM sent a message without an opcode');
    return type;
  }

  #hasRoomFor(data: Uint8Array): boolean {
    return this.#frames < MAX_FRAMES && this.#bytes + data.length <= MAX_BYTES;
  }

  /** The outermost frame's output is the transaction's and always kept here. */
  #keepOutput(frame: CallFrame, output: Uint8Array): void {
    const isOutermost = this.#stack.length === 0;
    if (!isOutermost && this.#bytes + output.length > MAX_BYTES) {
      frame.outputOmitted = true;
      this.#omit(1);
      return;
    }
    this.#bytes += output.length;
    frame.output = toHex(output);
  }
}

function addressOf(address: { readonly bytes: Uint8Array } | undefined): `0x${string}` | null {
  return address === undefined ? null : toHex(address.bytes);
}
