import { describeProblem } from '@causeway/service/doctor';
import type { Logger } from 'pino';
import { SIDES } from './watch/judgement.js';
import { countAffordablePauses, rehearsePause, type PauserParts } from './watch/pause-sender.js';
import type { WatchtowerMetrics } from './watchtower-metrics.js';

/** Simulates the pause on every node, and counts how many pauses the pauser's coin pays for. */
export async function rehearse(
  { verifier, signer, sentinels, maxFeePerGas }: Omit<PauserParts, 'now' | 'onSent'>,
  metrics: WatchtowerMetrics,
  logger: Logger,
): Promise<void> {
  for (const chain of SIDES) {
    for (const { node, problem } of await rehearsePause(verifier.readers[chain], signer.address, sentinels[chain])) {
      metrics.rehearsal.set({ chain, node }, problem === null ? 1 : 0);
      if (problem === null) logger.debug({ chain, node }, 'the pause would work');
      else logger.error({ chain, node, problem: describeProblem(problem) }, 'the pause would fail');
    }
    try {
      const count = await countAffordablePauses(verifier, chain, signer.address, maxFeePerGas);
      metrics.affordablePauses.set({ chain }, count);
      if (count < 1) logger.error({ chain }, "the pauser's coin does not pay for a pause at MAX_FEE_GWEI");
    } catch (error) {
      logger.warn({ chain, err: error }, "the pauser's coin cannot be read");
    }
  }
}
