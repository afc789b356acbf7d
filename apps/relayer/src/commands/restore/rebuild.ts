import { laneChain } from '@causeway/chain';
import type { Address } from 'viem';
import { eachChain } from '../../bridge-chain.js';
import { CommandRefusedError, type CommandContext } from '../command-context.js';
import { ChainRestore } from './chain-restore.js';
import { HeldLease } from './held-lease.js';
import { reportLines } from './report.js';

/**
 * `relayer rebuild`: fills an empty database from the two chains alone. It sends no transaction. It holds the lease, so
 * that no relayer works at the same time. After an interruption, a second run continues.
 *
 * @throws CommandRefusedError
 */
export async function rebuildDatabase(context: CommandContext): Promise<void> {
  const { store, configuration, print } = context;
  const state = await store.rebuild.state();
  if (state === 'used')
    throw new CommandRefusedError(
      'The database has data. A rebuild only fills an empty one: create one (CREATE DATABASE causeway_rebuilt) and set ' +
        'DATABASE_URL to it. Keep this one: it holds data that no chain has',
    );
  await context.chainsChecked;
  const lease = await HeldLease.take(context);
  try {
    print(state === 'empty' ? 'The rebuild begins.' : 'The rebuild continues.');
    await store.rebuild.begin(lease.fence);
    const warnings = await new ChainRestore(context, lease, 'rebuild').run();
    const known = await Promise.all(
      eachChain(context.chains).map(async ({ chainId, connection }) => {
        const wallet = { chainId, address: configuration.addressBook.relayer.toLowerCase() as Address };
        const nodes = laneChain(connection, wallet.address);
        return { wallet, nonce: await nodes.nonceAt(await nodes.head()) };
      }),
    );
    await store.rebuild.finish(lease.fence, known);
    const [ethereum, partner] = await Promise.all(
      eachChain(context.chains).map(async ({ chainId }) => (await store.scan.latestBlock(chainId))?.number ?? 0n),
    );
    const findings = { ethereumBlock: ethereum ?? 0n, partnerBlock: partner ?? 0n, warnings };
    reportLines(await store.rebuild.totals(), findings).forEach(print);
    print(`Start the relayer with the same settings: HOLD_SECONDS was ${configuration.holdSeconds}.`);
  } finally {
    await lease.release();
  }
}
