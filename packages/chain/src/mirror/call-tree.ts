import { assetInfo } from '@causeway/protocol';
import { size, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { account, bytes } from '../blocks/rpc-shapes.js';

/** An answer of a mirror contradicts itself or does not match the schema. */
export class InvalidCallTreeError extends Error {
  override readonly name = 'InvalidCallTreeError';
}

/** A payment of native XCN to a watched address by a call inside a transaction. `amount` in 18-decimal units. */
export interface InternalTransfer {
  /** Position among the messages of the transaction; the transaction itself is 0. */
  readonly callIndex: number;
  /** The account that made the call directly, not the signer of the transaction or an outer caller. */
  readonly payer: Address;
  readonly wallet: Address;
  readonly amount: bigint;
  /** The data of the call if it is exactly 32 bytes, else null. */
  readonly memo: Hex | null;
}

/** A message of a transaction in a mirror's list (`contracts/results/{hash}/actions`). `value` has 8 decimals. */
export const mirrorAction = z.object({
  index: z.number().int().nonnegative(),
  call_depth: z.number().int().nonnegative(),
  call_operation_type: z.string(),
  from: account,
  to: account.nullable(),
  value: z.union([z.number().int(), z.bigint()]).transform(BigInt),
  input: bytes.nullable(),
  result_data_type: z.enum(['OUTPUT', 'REVERT_REASON', 'ERROR']),
});

/** One message of a transaction. */
export type MirrorAction = z.output<typeof mirrorAction>;

/**
 * Finds the payments to watched addresses in a call tree: CALL messages with a value from another account that did not
 * fail and are not inside a failed message. DELEGATECALL, CALLCODE and STATICCALL messages move no coin to another
 * account, whatever value they show. The transaction itself is a plain transfer, not an internal one.
 *
 * @param actions all messages of the transaction, in the order of their start.
 * @param receivers lower-case.
 * @throws InvalidCallTreeError if the messages do not form a tree.
 */
export function internalTransfers(
  actions: readonly MirrorAction[],
  receivers: ReadonlySet<Address>,
): InternalTransfer[] {
  const { granularity } = assetInfo('XCN');
  const found: InternalTransfer[] = [];
  /** For each depth of the current branch: whether that message or an enclosing one failed. */
  const hasFailed: boolean[] = [];
  for (const [position, action] of actions.entries()) {
    const { index, call_depth: depth, from, to, value, input } = action;
    const isRoot = position === 0;
    if (index !== position || isRoot !== (depth === 0) || depth > hasFailed.length)
      throw new InvalidCallTreeError(`message ${index} at depth ${depth} does not follow the previous message`);
    hasFailed.length = depth;
    hasFailed.push(hasFailed.at(-1) === true || action.result_data_type !== 'OUTPUT');
    if (isRoot || hasFailed.at(-1) === true || action.call_operation_type !== 'CALL') continue;
    if (to === null || to === from || value <= 0n || !receivers.has(to)) continue;
    const memo = input !== null && size(input) === 32 ? input : null;
    found.push({ callIndex: index, payer: from, wallet: to, amount: value * granularity, memo });
  }
  return found;
}
