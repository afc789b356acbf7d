import type { Common } from '@ethereumjs/common';
import { getOpcodesForHF, type EVMOpts } from '@ethereumjs/evm';

/** An opcode as EthereumJS takes it from outside. */
export type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number];
/** What an opcode does once its gas is paid. */
export type OpcodeLogic = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction'];

/**
 * An opcode that has its usual name and gas, and does something else.
 *
 * @param logicFor what it is to do, given what it usually does.
 */
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
