import type { Common } from '@ethereumjs/common';
import { createAddressFromBigInt } from '@ethereumjs/util';
import type { CallTracer } from './call-tracer.js';
import { replaceOpcode, type CustomOpcode } from './replace-opcode.js';

/** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL. */
const MESSAGE_OPCODES = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];
const SELFDESTRUCT = 0xff;

/**
 * The opcodes that a call tree is made of: they do what they usually do, and tell the tracer first. The EVM's messages do not say which opcode sent
 * them, a SELFDESTRUCT sends none, and to listen to every step of the EVM would make all others slow.
 */
export function tracedOpcodes(common: Common, tracer: CallTracer): CustomOpcode[] {
  const messages = MESSAGE_OPCODES.map((opcode) =>
    replaceOpcode(common, opcode, (usual) => (runState, rules) => {
      tracer.expectMessage(opcode);
      return usual(runState, rules);
    }),
  );
  // What is not allowed to destroy itself, or has not the gas, has failed before it comes here.
  const selfDestruct = replaceOpcode(common, SELFDESTRUCT, (usual) => (runState, rules) => {
    const { interpreter, stack } = runState;
    const heir = createAddressFromBigInt(BigInt.asUintN(160, stack.peek()[0] ?? 0n));
    tracer.addSelfDestruct(interpreter.getAddress(), heir, interpreter.getSelfBalance());
    return usual(runState, rules);
  });
  return [...messages, selfDestruct];
}
