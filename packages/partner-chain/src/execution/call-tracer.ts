import type { EVM, EVMResult, Message } from '@ethereumjs/evm';
import { bytesToHex } from '@ethereumjs/util';
import type { CallFrame, CallType } from './call-frame.js';

/** Messages that are kept of a transaction, and of all transactions of a block. */
const MAX_FRAMES = 10_000;
const MAX_BLOCK_FRAMES = 30_000;
/** Bytes of input and output that are kept of a transaction, and of all of a block. A message may carry the same memory again and again for next to no gas. */
const MAX_BYTES = 1024 * 1024;
const MAX_BLOCK_BYTES = 8 * MAX_BYTES;

/**
 * Keeps the call tree of what an EVM runs, within bounds: beyond them messages are counted, not kept.
 *
 * A CALL inside a static frame shows as STATICCALL: the EVM's messages do not tell them apart, and there they do the same.
 */
export class CallTracer {
  /** The frames that are open; null for one that is not kept. */
  #stack: (CallFrame | null)[] = [];
  #root: CallFrame | null = null;
  #frames = 0;
  #bytes = 0;
  /** Of the block's transactions before this one. */
  #blockFrames = 0;
  #blockBytes = 0;

  constructor(evm: EVM) {
    evm.events?.on('beforeMessage', (message) => this.#enter(message));
    evm.events?.on('afterMessage', (result) => this.#leave(result));
  }

  /** The tree of the last execution; forgets it. */
  take(): CallFrame | null {
    const root = this.#root;
    this.#root = null;
    this.#stack = [];
    this.#blockFrames += this.#frames;
    this.#blockBytes += this.#bytes;
    this.#frames = 0;
    this.#bytes = 0;
    return root;
  }

  /** What was kept before does not count any more. */
  beginBlock(): void {
    this.#blockFrames = 0;
    this.#blockBytes = 0;
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
    const type = typeOf(message);
    const isDelegate = type === 'DELEGATECALL' || type === 'CALLCODE';
    const frame: CallFrame = {
      type,
      from: addressOf(isDelegate ? message.to : message.caller) ?? '0x',
      to: message.to === undefined ? null : addressOf(message.codeAddress),
      value: message.value,
      gas: message.gasLimit,
      gasUsed: 0n,
      input: bytesToHex(message.data),
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
    frame.output = this.#keptOutput(result.execResult.returnValue);
    frame.error = result.execResult.exceptionError?.error ?? null;
    if (frame.to === null && frame.error === null) frame.to = addressOf(result.createdAddress);
  }

  #hasRoomFor(data: Uint8Array): boolean {
    return (
      this.#frames < Math.min(MAX_FRAMES, MAX_BLOCK_FRAMES - this.#blockFrames) &&
      this.#bytes + data.length <= this.#maxBytes()
    );
  }

  #maxBytes(): number {
    return Math.min(MAX_BYTES, MAX_BLOCK_BYTES - this.#blockBytes);
  }

  /** The outermost frame's output is the transaction's and always kept. */
  #keptOutput(output: Uint8Array): `0x${string}` {
    const isOutermost = this.#stack.length === 0;
    if (!isOutermost && this.#bytes + output.length > this.#maxBytes()) {
      if (this.#root !== null) this.#root.omitted = (this.#root.omitted ?? 0) + 1;
      return '0x';
    }
    this.#bytes += output.length;
    return bytesToHex(output);
  }
}

function typeOf(message: Message): CallType {
  if (message.to === undefined) return message.salt === undefined ? 'CREATE' : 'CREATE2';
  if (message.delegatecall) return 'DELEGATECALL';
  if (!message.codeAddress.equals(message.to)) return 'CALLCODE';
  return message.isStatic ? 'STATICCALL' : 'CALL';
}

function addressOf(address: { readonly bytes: Uint8Array } | undefined): `0x${string}` | null {
  return address === undefined ? null : bytesToHex(address.bytes);
}
