import { setTimeout as sleep } from 'node:timers/promises';
import { parseAmount } from '@causeway/protocol';
import { startRpcProxy, waitUntil } from '@causeway/test-kit';
import { parseGwei } from 'viem';
import type { Drill } from './drill.js';
import type { Fault } from './fault.js';

const ONE_ETH = parseAmount('ETH', '1');
const A_LITTLE = parseAmount('ETH', '0.1');
/** Not faster than the clock, by which the blocks of the other chain get their times. */
const BLOCK_MS = 1_100;

/** Transactions that are replaced with each of the base fees, in gwei: over 10 times together. */
const PENDING = 3;
const BASE_FEES = ['5', '15', '45', '135'] as const;
const REPLACEMENTS = 'max (causeway_relayer_pending_replacements{chain="ethereum"})';

/** Faults of the chains and of their nodes. */
export const CHAIN_FAULTS: readonly Fault[] = [
  {
    name: 'the only node of Ethereum hangs',
    alerts: ['ReadingStuck', 'NodeUnusable', 'QuorumLost', 'StageFailing'],
    inject: async (drill) => {
      drill.signal('ethereum', 'SIGSTOP');
      return async () => drill.signal('ethereum', 'SIGCONT');
    },
  },
  {
    name: 'Ethereum makes no more blocks',
    alerts: ['FinalityWaits', 'TransactionStuck', 'DeliveriesUnjudged'],
    inject: async (drill) => {
      const { ethereum, partner } = drill.fleet;
      const { alice } = drill;
      const { address } = alice.account;
      await ethereum.test.setIntervalMining({ interval: 0 });
      const first = await whileMining(drill, alice.deposit('ETH', ONE_ETH, address));
      // Younger by a block: it is not final when the first one is.
      await whileMining(drill, alice.deposit('ETH', A_LITTLE, address));
      await waitUntil('the first deposit is final', async () => {
        await ethereum.test.mine({ blocks: 1 });
        await sleep(BLOCK_MS);
        return (await alice.status(first.originTxHash))?.status !== 'CONFIRMING';
      });
      // Its release is sent and never mined.
      const before = await partner.client.getBlockNumber();
      await alice.burn('ETH', A_LITTLE, address, A_LITTLE);
      await waitUntil('the partner chain goes on', async () => (await partner.client.getBlockNumber()) > before);
      return async () => ethereum.test.setIntervalMining({ interval: 1 });
    },
  },
  {
    name: 'the fees of Ethereum rise faster than those of the pending transactions',
    alerts: ['TransactionsReplaced'],
    inject: async (drill) => {
      const { ethereum } = drill.fleet;
      const { address } = drill.alice.account;
      await drill.restartRelayers({ REPLACE_AFTER_MS: '1000', MAX_FEE_PER_DELIVERY_ETH: '10' });
      await ethereum.test.setIntervalMining({ interval: 0 });
      for (let count = 1; count <= PENDING; count += 1) {
        await drill.alice.burn('ETH', A_LITTLE, address, A_LITTLE);
        const pending = async () => (await ethereum.test.getTxpoolStatus()).pending >= count;
        await waitUntil(`${count} releases are pending`, pending);
      }
      for (const baseFeePerGas of BASE_FEES.map((fee) => parseGwei(fee))) {
        const before = await drill.metric(REPLACEMENTS);
        await ethereum.test.setNextBlockBaseFeePerGas({ baseFeePerGas });
        await ethereum.test.mine({ blocks: 1 });
        const replaced = async () => ((await drill.metric(REPLACEMENTS)) ?? 0) >= (before ?? 0) + PENDING;
        await waitUntil(`the releases bid more than ${baseFeePerGas}`, replaced);
      }
      return async () => {
        await ethereum.test.setIntervalMining({ interval: 1 });
        await drill.restartRelayers();
      };
    },
  },
  {
    name: 'the node of a gateway stands still',
    alerts: ['BlocksStuck'],
    inject: async ({ fleet }) => {
      const frozen = await fleet.partner.client.getBlock();
      const proxy = await startRpcProxy(fleet.partnerNodeUrl, {
        changeResult: (method, result) => (method === 'eth_blockNumber' ? `0x${frozen.number.toString(16)}` : result),
      });
      await fleet.kill('gateway-2');
      await fleet.start('gateway-2', { UPSTREAM_URLS: proxy.url });
      return async () => {
        await fleet.killAndRestart('gateway-2');
        await proxy.close();
      };
    },
  },
];

/** Makes blocks until something has happened. */
async function whileMining<T>({ fleet: { ethereum } }: Drill, work: Promise<T>): Promise<T> {
  const isOver = new AbortController();
  const waiting = work.finally(() => isOver.abort());
  while (!isOver.signal.aborted) {
    await sleep(BLOCK_MS);
    const { pending } = await ethereum.test.getTxpoolStatus();
    if (pending > 0) await ethereum.test.mine({ blocks: 1 });
  }
  return waiting;
}
