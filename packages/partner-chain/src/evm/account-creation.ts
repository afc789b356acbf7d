import type { Common } from '@ethereumjs/common';
import { createAddressFromBigInt, type Address } from '@ethereumjs/util';
import type { WorldState } from '../state/world-state.js';
import { replaceOpcode, type CustomOpcode, type OpcodeLogic } from './custom-opcodes.js';

type RunState = Parameters<OpcodeLogic>[0];
/** Finds the account that an opcode pays, or null. */
type Payee = (runState: RunState) => Address | null;

const LOG3 = 0xa3;
/** keccak256("Transfer(address,address,uint256)") (ERC-20). */
const TRANSFER_TOPIC = 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3efn;

/** The opcodes that pay an account: CALL and SELFDESTRUCT with coin, LOG3 with a token's Transfer event. */
const PAYEES: ReadonlyMap<number, Payee> = new Map<number, Payee>([
  [
    0xf1,
    ({ stack }) => {
      const [, to = 0n, value = 0n] = stack.peek(3);
      return value > 0n ? toAddress(to) : null;
    },
  ],
  [0xff, ({ stack, interpreter }) => (interpreter.getSelfBalance() > 0n ? toAddress(stack.peek(1)[0] ?? 0n) : null)],
  [
    LOG3,
    ({ stack }) => {
      const [, length, topic, , to = 0n] = stack.peek(5);
      const address = toAddress(to);
      // A transfer to the zero address burns tokens.
      return length === 32n && topic === TRANSFER_TOPIC && !address.isZero() ? address : null;
    },
  ],
]);

/**
 * Charges for each account that a payment creates (specification "Gas rule (lazy account creation)") in the frame that
 * pays, where Ethereum charges 25,000 for a new account, including a CALL that lacks the coin. So contracts, traces and
 * estimates see it like any other gas. A failed frame creates no account, but has spent the gas.
 *
 * @param opcodes the EVM's opcodes that differ from Ethereum's.
 */
export function chargeForNewAccounts(
  common: Common,
  opcodes: readonly CustomOpcode[],
  state: WorldState,
  lazyAccountGas: bigint,
): CustomOpcode[] {
  return [...opcodes, replaceOpcode(common, LOG3, (usual) => usual)].map((custom) => {
    const payee = PAYEES.get(custom.opcode);
    if (payee === undefined || !('gasFunction' in custom) || custom.gasFunction === undefined) return custom;
    const usual = custom.gasFunction;
    return {
      ...custom,
      gasFunction: (runState, gas, rules) => {
        const address = payee(runState);
        const isNew = address !== null && state.createForPayment(address, custom.opcode === LOG3);
        return usual(runState, isNew ? gas + lazyAccountGas : gas, rules);
      },
    };
  });
}

function toAddress(word: bigint): Address {
  return createAddressFromBigInt(BigInt.asUintN(160, word));
}
