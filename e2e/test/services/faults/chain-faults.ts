import { setTimeout as sleep } from 'node:timers/promises';
import { parseAmount } from '@causeway/protocol';
import { startRpcProxy, waitUntil } from '@causeway/test-kit';
import type { Drill } from './drill.js';
import type { Fault } from './fault.js';

const ONE_ETH = parseAmount('ETH', '1');
const A_LITTLE = parseAmount('ETH', '0.1');
/** Not faster than real time, from which the other chain's blocks get their timestamps. */
const BLOCK_MS = 1_100;

/** Caps of the wallet far above the fees of a fault, which double with each replacement. */
const NO_CAPS = { MAX_FEE_GWEI: '1000000', MAX_FEE_PER_DELIVERY_ETH: '1000', MAX_DAILY_FEES_ETH: '10000' };
/** Above the alert's threshold. */
const REPLACEMENTS = 12;

/** Faults of the chains and of their nodes. */
export const CHAIN_FAULTS: readonly Fault[] = [
  {
    name: 'the only node of Ethereum hangs',
    alerts: ['ReadingStuck', 'NodeUnusable', 'QuorumLost', 'StageFailing'],
    inject: async (drill) => {
      drill.fleet.processes.signal('ethereum', 'SIGSTOP');
      return async () => drill.fleet.processes.signal('ethereum', 'SIGCONT');
    },
  },
  {
    name: 'Ethereum stops making blocks',
    alerts: ['FinalityWaits', 'TransactionStuck', 'DeliveriesUnjudged'],
    inject: async (drill) => {
      const { ethereum, partner } = drill.fleet;
      const { alice } = drill;
      const { address } = alice.account;
      await ethereum.test.setIntervalMining({ interval: 0 });
      const first = await whileMining(drill, alice.deposit('ETH', ONE_ETH, address));
      // One block younger, so not final when the first deposit is.
      await whileMining(drill, alice.deposit('ETH', A_LITTLE, address));
      await waitUntil('the first deposit is final', async () => {
        await ethereum.test.mine({ blocks: 1 });
        await sleep(BLOCK_MS);
        return (await alice.status(first.originTxHash))?.status !== 'CONFIRMING';
      });
      // Its release is sent but never mined.
      const before = await partner.client.getBlockNumber();
      await alice.burn('ETH', A_LITTLE, address, A_LITTLE);
      await waitUntil('the partner chain makes a block', async () => (await partner.client.getBlockNumber()) > before);
      return async () => ethereum.test.setIntervalMining({ interval: 1 });
    },
  },
  {
    name: 'the fees of Ethereum rise faster than those of the pending transactions',
    alerts: ['TransactionsReplaced'],
    inject: async (drill) => {
      const { ethereum } = drill.fleet;
      const { address } = drill.alice.account;
      await drill.restartRelayers({ REPLACE_AFTER_MS: '1000', ...NO_CAPS });
      await ethereum.test.setIntervalMining({ interval: 0 });
      await drill.alice.burn('ETH', A_LITTLE, address, A_LITTLE);
      const isOver = new AbortController();
      const rising = raiseFees(drill, isOver.signal);
      return async () => {
        isOver.abort();
        await rising;
        await ethereum.test.setIntervalMining({ interval: 1 });
        await drill.restartRelayers();
      };
    },
  },
  {
    name: "a gateway's node stops making blocks",
    alerts: ['BlocksStuck'],
    inject: async ({ fleet }) => {
      const frozen = await fleet.partner.client.request({
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
      });
      if (frozen === null) throw new Error('The partner chain has no block');
      const proxy = await startRpcProxy(fleet.partnerNodeUrl, {
        changeResult: (method, result, [block]) => {
          if (method === 'eth_blockNumber') return frozen.number;
          return method === 'eth_getBlockByNumber' && block === 'latest' ? frozen : result;
        },
      });
      await fleet.processes.kill('gateway-2');
      await fleet.start('gateway-2', { UPSTREAM_URLS: proxy.url });
      return async () => {
        await fleet.killAndRestart('gateway-2');
        await proxy.close();
      };
    },
  },
];

/** Makes blocks until some work has ended. */
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

/** Makes blocks with a base fee above the pending transactions' fees, until each is replaced often enough. */
async function raiseFees(drill: Drill, signal: AbortSignal): Promise<void> {
  const { test } = drill.fleet.ethereum;
  const database = await drill.connect('superuser', 'a drill');
  let highest = 0n;
  for (let count = 0; count < REPLACEMENTS && !signal.aborted;) {
    await sleep(BLOCK_MS);
    const { rows } = await database.query<{ fee: string | null }>(
      `SELECT max(t.max_fee_per_gas)::text AS fee FROM signed_transaction t JOIN wallet_call c ON c.id = t.call_id
       WHERE c.ended_at IS NULL AND c.chain_id = $1`,
      [await drill.fleet.ethereum.client.getChainId()],
    );
    const fee = BigInt(rows[0]?.fee ?? 0);
    if (fee <= highest) continue;
    highest = fee;
    count += 1;
    // The block is empty, so the base fee of the next one is an eighth lower.
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: (fee * 5n) / 4n });
    await test.mine({ blocks: 1 });
  }
  await database.end();
}
