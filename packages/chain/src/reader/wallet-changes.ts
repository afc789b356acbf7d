import type { Address, PublicClient } from 'viem';
import { askNode } from '../rpc/chain-error.js';

// Transfers of native coin leave no log. Where the balance and the nonce of an account are the same at both ends of a
// range, nothing came in: what it spends raises the nonce.

/** Blocks in which an account may have changed. Inclusive. */
export interface BlockSpan {
  readonly from: bigint;
  readonly to: bigint;
}

/** Returns balances and nonces after a block, as one text. */
type AccountsAt = (block: bigint) => Promise<string>;

/** Spans of this many blocks are read in full: halving them further would take more requests. */
const LEAF_BLOCKS = 4n;

/**
 * Reads balances and nonces after a block, as one text.
 *
 * @throws NodeUnavailableError, NodeRefusedError when the node does not have the state of that block any more.
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
 * Halves a range until it is split into parts at whose ends the accounts are equal, and short spans in which they
 * changed.
 *
 * @returns those spans, ascending; null when there are more than `most`.
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
    // Each span that is still open has a change in one of its halves.
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
