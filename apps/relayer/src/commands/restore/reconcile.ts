import { laneChain } from '@causeway/chain';
import type { NonceOf } from '@causeway/store';
import type { Address } from 'viem';
import { eachChain, type BridgeChain } from '../../bridge-chain.js';
import { readAgreedNonce, readHeadTime } from '../../pipeline/reported-nonces.js';
import { perform } from '../actions.js';
import { CommandRefusedError, type CommandContext } from '../command-context.js';
import { ChainRestore } from './chain-restore.js';
import { HeldLease } from './held-lease.js';
import { reconcileLines } from './report.js';

/**
 * `relayer reconcile`: compares a database with data with both chains, restores what they prove, and lists the rest. It
 * sends no transaction. It holds the lease; relayers that wait in the gate do not. No relayer works until
 * `relayer reconcile finish`.
 *
 * @throws CommandRefusedError
 */
export async function reconcileDatabase(context: CommandContext): Promise<void> {
  const { store, chains, print } = context;
  const state = await store.rebuild.state();
  if (state !== 'used')
    throw new CommandRefusedError(
      state === 'empty'
        ? 'The database is empty: run `relayer rebuild`'
        : 'A rebuild of this database is not finished: run `relayer rebuild` again',
    );
  await context.chainsChecked;
  const lease = await HeldLease.take(context);
  try {
    const { fence } = lease;
    await store.reconciliations.begin(fence, 'an operator compares the database with the chains (relayer reconcile)');
    const known = new Map<BridgeChain, bigint>();
    for (const chain of eachChain(chains)) {
      known.set(chain, (await store.reconciliations.nonces(getWallet(context, chain))).known);
      await seeUnknown(context, chain);
    }
    const before = await store.rebuild.totals();
    const restore = new ChainRestore(context, lease, 'reconcile');
    const warnings = await restore.run();
    // Transactions of the meantime may be listed by now, and another relayer may have sent them.
    for (const chain of eachChain(chains)) await seeUnknown(context, chain, known.get(chain));
    const read: NonceOf[] = [];
    for (const chain of eachChain(chains)) {
      const wallet = getWallet(context, chain);
      const newest = (await store.scan.latestBlock(chain.chainId))?.number ?? 0n;
      const final = newest - BigInt(chain.confirmations) + 1n;
      read.push({ wallet, nonce: await laneChain(chain.connection, wallet.address).nonceAt(final) });
    }
    await store.reconciliations.markRead(fence, read);
    reconcileLines({ before, after: await store.rebuild.totals(), repaired: restore.repaired, warnings }).forEach(
      print,
    );
  } finally {
    await lease.release();
  }
}

/**
 * `relayer reconcile finish`: ends the wait of relayers, once everything was read and the wallet has sent no unknown
 * transaction for a while, by the database's clock and by the chain's.
 *
 * @throws CommandRefusedError
 */
export async function finishReconciliation(context: CommandContext): Promise<void> {
  const { store, chains, configuration, print } = context;
  await context.chainsChecked;
  const open = await store.reconciliations.open();
  if (open === null) throw new CommandRefusedError('No reconciliation is open: there is nothing to finish');
  if (open.readAt === null)
    throw new CommandRefusedError('The chains were not read to the end: run `relayer reconcile`');
  const known: NonceOf[] = [];
  for (const chain of eachChain(chains)) {
    const wallet = getWallet(context, chain);
    await seeUnknown(context, chain);
    const [highest, { journal, read }] = await Promise.all([
      readAgreedNonce(chain, wallet.address),
      store.reconciliations.nonces(wallet),
    ]);
    const accounted = read > journal ? read : journal;
    if (highest > accounted)
      throw new CommandRefusedError(
        `The wallet has ${highest - accounted} transactions on ${chain.side} that were not read, from nonce ${accounted}: ` +
          'another relayer runs with this wallet, or they are pending. Stop it, wait until they are final, and run ' +
          '`relayer reconcile` again',
      );
    const quiet = await store.reconciliations.quiet(wallet, await readHeadTime(chain));
    const leastMs = quiet === null ? Infinity : Math.min(quiet.byDatabaseMs, quiet.byChainMs);
    if (leastMs < configuration.reconcileQuietMs)
      throw new CommandRefusedError(
        `The wallet sent a transaction on ${chain.side} that the database lacked ${Math.floor(leastMs / 1_000)} s ago, ` +
          `by the slower clock. Wait ${Math.ceil((configuration.reconcileQuietMs - leastMs) / 1_000)} s more, to be sure ` +
          'that no other relayer runs with this wallet',
      );
    known.push({ wallet, nonce: accounted });
  }
  const nonces = Object.fromEntries(known.map(({ wallet, nonce }) => [`${wallet.chainId}`, `${nonce}`]));
  await perform(
    context,
    { kind: 'finish-reconciliation', known },
    {
      action: 'reconcile-finish',
      before: { reason: open.reason, readAt: open.readAt.toISOString() },
      after: { nonces },
      reason: 'command line',
    },
  );
  print('The reconciliation has ended. Relayers that wait continue.');
}

/**
 * Records the next nonce of the wallet on a chain if the database lacks transactions of it.
 *
 * @param before the next nonce that it had. Default: that it has now.
 */
async function seeUnknown(context: CommandContext, chain: BridgeChain, before?: bigint): Promise<void> {
  const { store } = context;
  const wallet = getWallet(context, chain);
  const highest = await readAgreedNonce(chain, wallet.address);
  if (highest <= (before ?? (await store.reconciliations.nonces(wallet)).known)) return;
  await store.reconciliations.see({ wallet, nonce: highest }, await readHeadTime(chain));
}

function getWallet({ configuration }: CommandContext, { chainId }: BridgeChain) {
  return { chainId, address: configuration.addressBook.relayer.toLowerCase() as Address };
}
