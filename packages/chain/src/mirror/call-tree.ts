import { assetInfo } from '@causeway/protocol';
import { size, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { account, bytes } from '../blocks/rpc-shapes.js';

/** An answer of a mirror contradicts itself or the form of its interface. */
export class InvalidCallTreeError extends Error {
  override readonly name = 'InvalidCallTreeError';
}

/** A payment of native XCN to a watched address by a call inside a transaction. `amount` in 18-decimal units. */
export interface InternalTransfer {
  /** Position among the messages of the transaction; the transaction itself is 0. */
  readonly callIndex: number;
  /** The account that made the call. Neither the signer of the transaction nor a caller further out. */
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
 * Finds the payments to watched addresses in a call tree: messages by CALL with a value, whose sender is another
 * account, and which neither failed nor are inside one that failed. Messages by DELEGATECALL, CALLCODE and STATICCALL
 * move no coin to another account, whatever value they show. The transaction itself is a plain transfer, and not
 * internal.
 *
 * @param actions all messages of the transaction, in the order in which they began.
 * @param receivers lower-case.
 * @throws InvalidCallTreeError when they are not a tree.
 */
export function internalTransfers(
  actions: readonly MirrorAction[],
  receivers: ReadonlySet<Address>,
): InternalTransfer[] {
  const { granularity } = assetInfo('XCN');
  const found: InternalTransfer[] = [];
  /** For each depth of the present branch: whether that message, or one around it, failed. */
  const hasFailed: boolean[] = [];
  for (const [position, action] of actions.entries()) {
    const { index, call_depth: depth, from, to, value, input } = action;
    const isRoot = position === 0;
    if (index !== position || isRoot !== (depth === 0) || depth > hasFailed.length)
      throw new InvalidCallTreeError(`message ${index} at depth ${depth} does not follow the one before it`);
    hasFailed.length = depth;
    hasFailed.push(hasFailed.at(-1) === true || action.result_data_type !== 'OUTPUT');
    if (isRoot || hasFailed.at(-1) === true || action.call_operation_type !== 'CALL') continue;
    if (to === null || to === from || value <= 0n || !receivers.has(to)) continue;
    const memo = input !== null && size(input) === 32 ? input : null;
    found.push({ callIndex: index, payer: from, wallet: to, amount: value * granularity, memo });
  }
  return found;
}
