import type { EVM, EVMResult, Message } from '@ethereumjs/evm';
import type { Address } from '@ethereumjs/util';
import type { CallFrame, CallType } from './call-frame.js';
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

/**
 * Keeps the call tree of what an EVM runs, 10,000 messages and 1 MiB of what they carry: beyond that messages are counted, not kept. What stays of a
 * transaction in a block is a matter of its gas besides (see `trimCallTree`); what ran before it never matters.
 *
 * A SELFDESTRUCT stands where its contract's message stands and counts for none: it costs 5,000 gas, so there are few.
 */
export class CallTracer {
  /** The frames that are open; null for one that is not kept. */
  #stack: (CallFrame | null)[] = [];
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
    this.#stack.at(-1)?.calls.push({
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
    // What is below a frame that is not kept is not kept either.
    if (this.#root !== null && (this.#stack.at(-1) === null || !this.#hasRoomFor(message.data))) {
      this.#root.omitted = (this.#root.omitted ?? 0) + 1;
      this.#stack.push(null);
      return;
    }
    this.#frames += 1;
    this.#bytes += message.data.length;
    const type = this.#typeOf(message);
    const isDelegate = type === 'DELEGATECALL' || type === 'CALLCODE';
    const frame: CallFrame = {
      type,
      from: addressOf(isDelegate ? message.to : message.caller) ?? '0x',
      to: message.to === undefined ? null : addressOf(message.codeAddress),
      value: message.value,
      gas: message.gasLimit,
      gasUsed: 0n,
      input: toHex(message.data),
      output: '0x',
      error: null,
      calls: [],
    };
    this.#stack.at(-1)?.calls.push(frame);
    this.#root ??= frame;
    this.#stack.push(frame);
  }

  #leave(result: EVMResult): void {
    const frame = this.#stack.pop();
    if (frame === undefined || frame === null) return;
    frame.gasUsed = result.execResult.executionGasUsed;
    this.#keepOutput(frame, result.execResult.returnValue);
    frame.error = result.execResult.exceptionError?.error ?? null;
    if (frame.to === null && frame.error === null) frame.to = addressOf(result.createdAddress);
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
      if (this.#root !== null) this.#root.omitted = (this.#root.omitted ?? 0) + 1;
      return;
    }
    this.#bytes += output.length;
    frame.output = toHex(output);
  }
}

function addressOf(address: { readonly bytes: Uint8Array } | undefined): `0x${string}` | null {
  return address === undefined ? null : toHex(address.bytes);
}
