import type { EVM, EVMResult, Message } from '@ethereumjs/evm';
import { bytesToHex } from '@ethereumjs/util';
import type { CallFrame, CallType } from './call-frame.js';

/**
 * Keeps the call tree of what an EVM runs. A CALL inside a static frame shows as STATICCALL: the EVM's messages do not tell them apart, and there
 * they do the same.
 */
export class CallTracer {
  #stack: CallFrame[] = [];
  #root: CallFrame | null = null;

  constructor(evm: EVM) {
    evm.events?.on('beforeMessage', (message) => this.#enter(message));
    evm.events?.on('afterMessage', (result) => this.#leave(result));
  }

  /** The tree of the last execution; forgets it. */
  take(): CallFrame | null {
    const root = this.#root;
    this.#root = null;
    this.#stack = [];
    return root;
  }

  #enter(message: Message): void {
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
    if (frame === undefined) return;
    frame.gasUsed = result.execResult.executionGasUsed;
    frame.output = bytesToHex(result.execResult.returnValue);
    frame.error = result.execResult.exceptionError?.error ?? null;
    if (frame.to === null && frame.error === null) frame.to = addressOf(result.createdAddress);
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
