import type { Common } from '@ethereumjs/common';
import { getOpcodesForHF, type EVMOpts } from '@ethereumjs/evm';
import { createAddressFromBigInt } from '@ethereumjs/util';
import type { CallTracer } from './call-tracer.js';

/** A custom opcode of EthereumJS. */
export type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number];
/** The logic of an opcode, which runs after its gas is paid. */
export type OpcodeLogic = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction'];

/** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL. */
const MESSAGE_OPCODES = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];
const SELFDESTRUCT = 0xff;

/**
 * CALLDATACOPY, CODECOPY and EXTCODECOPY with their usual gas. EthereumJS pads the copy byte by byte, 4 ms for 64 KiB:
 * a transaction of such copies would block the chain for 15 seconds.
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

/**
 * The opcodes of a call tree, which report to the tracer before their usual logic. The EVM's message events do not name
 * the opcode, SELFDESTRUCT sends no message, and listening to every step would slow down all opcodes.
 */
export function tracedOpcodes(common: Common, tracer: CallTracer): CustomOpcode[] {
  const messages = MESSAGE_OPCODES.map((opcode) =>
    replaceOpcode(common, opcode, (usual) => (runState, rules) => {
      tracer.expectMessage(opcode);
      return usual(runState, rules);
    }),
  );
  // A SELFDESTRUCT in a static frame, or without enough gas, fails before this.
  const selfDestruct = replaceOpcode(common, SELFDESTRUCT, (usual) => (runState, rules) => {
    const { interpreter, stack } = runState;
    const heir = createAddressFromBigInt(BigInt.asUintN(160, stack.peek()[0] ?? 0n));
    tracer.addSelfDestruct(interpreter.getAddress(), heir, interpreter.getSelfBalance());
    return usual(runState, rules);
  });
  return [...messages, selfDestruct];
}

/** Replaces the logic of an opcode, and keeps its name and gas. */
export function replaceOpcode(
  common: Common,
  opcode: number,
  logicFor: (usual: OpcodeLogic) => OpcodeLogic,
): CustomOpcode {
  const { opcodes, handlers, dynamicGasHandlers } = getOpcodesForHF(common);
  const [info, logic, gasFunction] = [opcodes.get(opcode), handlers.get(opcode), dynamicGasHandlers.get(opcode)];
  if (info === undefined || logic === undefined || gasFunction === undefined) throw new Error(`no opcode ${opcode}`);
  return { opcode, opcodeName: info.name, baseFee: info.fee, gasFunction, logicFunction: logicFor(logic) };
}

/** Returns a slice of bytes, padded with zeros beyond their end. */
function padded(bytes: Uint8Array, from: bigint, length: bigint): Uint8Array {
  const piece = new Uint8Array(Number(length));
  // Above 2^53 the number is not exact, but still beyond the end of any bytes.
  const start = Number(from);
  piece.set(bytes.subarray(start, start + piece.length));
  return piece;
}
