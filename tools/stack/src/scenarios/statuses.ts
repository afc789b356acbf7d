import type { OperationStatus } from '@causeway/protocol';
import type { Bench } from './bench.js';
import { holdBlocks, within } from './conditions.js';
import { reachDelay } from './delays.js';
import { payRelayer, registerIntent } from './intents.js';
import { burn, deposit, depositConfirming, letHoldPass, type Outcome } from './transfers.js';

/** Validity of an intent that must expire while a test waits. */
const SHORT_SECONDS = 2;

/** Reaches each status. A condition holds a status that would pass. */
const WAYS: Readonly<Record<OperationStatus, (bench: Bench) => Promise<Outcome>>> = {
  PENDING_ORIGIN_TX: async (bench) => {
    const { intentId } = await registerIntent(bench);
    return { operation: await bench.untilStatus(`intentId=${intentId}`, 'PENDING_ORIGIN_TX') };
  },
  CONFIRMING: async (bench) => {
    await bench.openUser();
    return within(await holdBlocks(bench), async () => (await depositConfirming(bench)).operation);
  },
  AWAITING_RELAY: async (bench) => {
    await bench.command('halt', 'deliveries', 'a scenario');
    const resume = () => bench.command('resume', 'deliveries');
    return within(resume, async () => bench.untilStatus(await deposit(bench, 'ETH'), 'AWAITING_RELAY'));
  },
  PROCESSING_DESTINATION: async (bench) => {
    const query = await burn(bench, 'ETH');
    return within(await holdBlocks(bench), async () => {
      await letHoldPass(bench, query);
      return bench.untilStatus(query, 'PROCESSING_DESTINATION');
    });
  },
  COMPLETED: async (bench) => ({ operation: await bench.untilStatus(await deposit(bench, 'ETH'), 'COMPLETED') }),
  DELAYED: (bench) => reachDelay(bench, 'PAUSED'),
  FAILED: async (bench) => {
    const hash = await payRelayer(bench, bench.nextAmount());
    return { operation: await bench.untilStatus(`originTxHash=${hash}`, 'FAILED') };
  },
  EXPIRED: async (bench) => {
    const { intentId } = await registerIntent(bench, { seconds: SHORT_SECONDS });
    return { operation: await bench.untilStatus(`intentId=${intentId}`, 'EXPIRED') };
  },
};

/** Brings a new operation to a status. */
export async function reachStatus(bench: Bench, status: OperationStatus): Promise<Outcome> {
  return WAYS[status](bench);
}
