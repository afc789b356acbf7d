import type { Common } from '@ethereumjs/common';
import { createAddressFromBigInt } from '@ethereumjs/util';
import { replaceOpcode, type CustomOpcode } from './replace-opcode.js';

/**
 * CALLDATACOPY, CODECOPY and EXTCODECOPY with their usual gas. EthereumJS pads what they copy byte by byte, 4 ms for 64 KiB: a transaction that did nothing
 * else would hold up the chain for a quarter of a minute.
 */
export function copyOpcodes(common: Common): CustomOpcode[] {
  return [
    replaceOpcode(common, 0x37, () => ({ stack, memory, interpreter }) => {
      const [to, from, length] = stack.popN(3) as [bigint, bigint, bigint];
      memory.write(Number(to), Number(length), padded(interpreter.getCallData(), from, length));
    }),
    replaceOpcode(common, 0x39, () => ({ stack, memory, interpreter }) => {
      const [to, from, length] = stack.popN(3) as [bigint, bigint, bigint];
      memory.write(Number(to), Number(length), padded(interpreter.getCode(), from, length));
    }),
    replaceOpcode(common, 0x3c, () => async ({ stack, memory, stateManager }) => {
      const [address, to, from, length] = stack.popN(4) as [bigint, bigint, bigint, bigint];
      const code = await stateManager.getCode(createAddressFromBigInt(BigInt.asUintN(160, address)));
      memory.write(Number(to), Number(length), padded(code, from, length));
    }),
  ];
}

/** A piece of some bytes, with zeros for what lies beyond their end. */
function padded(bytes: Uint8Array, from: bigint, length: bigint): Uint8Array {
  const piece = new Uint8Array(Number(length));
  // Past 2^53 a number is no longer exact, and still past the end of any bytes.
  const start = Number(from);
  piece.set(bytes.subarray(start, start + piece.length));
  return piece;
}
