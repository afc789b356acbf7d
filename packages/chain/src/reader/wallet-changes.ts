import type { Address, PublicClient } from 'viem';
import { askNode } from '../rpc/chain-error.js';

// Transfers of native coin leave no log. If the balance and the nonce of an account are equal at both ends of a range,
// the account received nothing: spending, which could offset a receipt, would raise the nonce.

/** Blocks in which an account may have changed. Bounds are inclusive. */
export interface BlockSpan {
  readonly from: bigint;
  readonly to: bigint;
}

/** Returns balances and nonces after a block, as one text. */
type AccountsAt = (block: bigint) => Promise<string>;

/** Spans of at most this many blocks are read in full, because halving them further would take more requests. */
const LEAF_BLOCKS = 4n;

/**
 * Reads balances and nonces after a block, as one text.
 *
 * @throws NodeUnavailableError; NodeRefusedError, also if the node has pruned the state of that block.
 */
export async function readAccounts(
  client: PublicClient,
  accounts: readonly Address[],
  blockNumber: bigint,
): Promise<string> {
  const states = await Promise.all(
    accounts.flatMap((address) => [
      askNode(() => client.getBalance({ address, blockNumber })),
      askNode(() => client.getTransactionCount({ address, blockNumber })),
    ]),
  );
  return states.join(' ');
}

/**
 * Bisects a range to find the short spans in which the accounts changed. A part with equal accounts at both ends is
 * skipped.
 *
 * @returns the spans, ascending; null if there are more than `most`.
 * @throws the errors of `accountsAt`.
 */
export async function findChanges(span: BlockSpan, accountsAt: AccountsAt, most: number): Promise<BlockSpan[] | null> {
  const changed: BlockSpan[] = [];
  let open = [span];
  while (open.length > 0) {
    const differs = await Promise.all(
      open.map(async ({ from, to }) => {
        const [before, after] = await Promise.all([accountsAt(from - 1n), accountsAt(to)]);
        return before !== after;
      }),
    );
    const changing = open.filter((_, index) => differs[index] === true);
    changed.push(...changing.filter(isLeaf));
    open = changing.filter((one) => !isLeaf(one)).flatMap(halve);
    // Each pair of open halves contains at least one change.
    if (changed.length + open.length / 2 > most) return null;
  }
  return changed.toSorted((a, b) => (a.from < b.from ? -1 : 1));
}

function isLeaf({ from, to }: BlockSpan): boolean {
  return to - from < LEAF_BLOCKS;
}

function halve({ from, to }: BlockSpan): BlockSpan[] {
  const middle = from + (to - from) / 2n;
  return [
    { from, to: middle },
    { from: middle + 1n, to },
  ];
}
