import { findCallEnd, laneChain } from '@causeway/chain';
import type { Fence, Store, Wallet } from '@causeway/store';
import type { BridgeChain } from '../../bridge-chain.js';
import { listUnjournaled } from '../../stages/refund/unjournaled-payments.js';
import type { Lanes } from '../../wallet/lanes.js';

export interface CallRestoring {
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'wallet' | 'journal'>;
  readonly chain: BridgeChain;
}

/** The calls and transactions that the journal lacked: counts, and nonces that stay unknown. */
export interface CallFindings {
  readonly concluded: number;
  readonly listed: number;
  /** Nonces whose transactions the nodes do not show. */
  readonly unreadable: readonly bigint[];
}

/**
 * Concludes the journal's pending calls by their receipts, and lists the wallet's later transactions, which the journal
 * lacks. Sends nothing.
 *
 * @param final newest final block.
 * @throws ChainError when the nodes do not answer or disagree.
 */
export async function restoreCalls(
  { store, lanes, chain }: CallRestoring,
  fence: Fence,
  final: bigint,
  onDone: (done: number, total: number) => void,
): Promise<CallFindings> {
  const wallet = lanes.wallet(chain);
  const nodes = laneChain(chain.connection, wallet.address);
  const journal = lanes.journal(fence, chain);
  const used = await nodes.nonceAt(final);
  let concluded = 0;
  for (const call of await journal.pending()) {
    if (call.nonce >= used) break;
    const end = await findCallEnd(nodes, call, final);
    if (end !== null && (await journal.conclude(call, end))) concluded++;
  }
  const [listed, unreadable] = [[] as bigint[], [] as bigint[]];
  let from = chain.deployedAtBlock;
  for (const nonce of await findBeyond(store, wallet, used)) {
    const found = await listUnjournaled(store, fence, chain, wallet, nonce, { from, to: final });
    if (found === null) unreadable.push(nonce);
    else {
      listed.push(nonce);
      from = found;
    }
    onDone(listed.length + unreadable.length, Number(used - nonce) + listed.length + unreadable.length - 1);
  }
  return { concluded, listed: listed.length, unreadable };
}

/** The nonces after the known ones and below `end`. */
async function findBeyond(store: Store, wallet: Wallet, end: bigint): Promise<bigint[]> {
  const { known } = await store.reconciliations.nonces(wallet);
  return Array.from({ length: Math.max(0, Number(end - known)) }, (_, index) => known + BigInt(index));
}
