import { setTimeout as sleep } from 'node:timers/promises';
import { checkChainIds } from '@causeway/chain/named-nodes';
import { localSigner, openKeystore } from '@causeway/chain/signers';
import { createLog, onEnd, serveMetrics } from '@causeway/service/http';
import { readHead } from '@causeway/verifier';
import type { Configuration } from './configuration/configuration.js';
import { openVerifier, SIDES } from './nodes.js';
import { WatchtowerHealth } from './watchtower-health.js';
import { WatchtowerMetrics } from './watchtower-metrics.js';

/** Time for an orderly shutdown; the process exits after it in any case. */
const SHUTDOWN_MS = 5_000;
/** Pause between turns. */
const TURN_MS = 1_000;

/**
 * Starts the service. It watches until a signal, or until the parent process ends.
 *
 * @throws Error when the configuration, the key or the nodes are invalid.
 */
export async function startService(configuration: Configuration): Promise<void> {
  const logger = createLog('watchtower', configuration.logLevel);
  const { pauser } = configuration;
  const signer = pauser.kind === 'raw' ? localSigner(pauser.privateKey) : await openKeystore(pauser);
  const verifier = openVerifier(configuration);
  await checkChainIds(verifier);
  const end = new AbortController();
  const metrics = new WatchtowerMetrics();
  const observed = { turnedAtMs: Date.now(), judgedAtMs: 0, obstacle: null as string | null };
  const health = new WatchtowerHealth(observed, Date.now);
  const monitored = { service: 'watchtower', registry: metrics.registry, health };
  const server = configuration.metrics === null ? null : await serveMetrics(monitored, configuration.metrics, logger);
  if (server !== null) logger.info({ url: server.url }, 'metrics and health are served');
  const run = async () => {
    while (!end.signal.aborted) {
      try {
        for (const chain of SIDES) {
          const { number, timestamp } = await readHead(verifier, chain);
          metrics.block.set({ chain, kind: 'head' }, Number(number));
          metrics.blockTime.set({ chain }, Number(timestamp));
        }
        observed.judgedAtMs = Date.now();
        observed.obstacle = null;
      } catch (error) {
        observed.obstacle = (error as Error).message;
        logger.warn({ err: error }, 'nothing was judged');
      }
      observed.turnedAtMs = Date.now();
      await sleep(TURN_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  logger.info({ pauser: signer.address }, 'started');
  const work = run();
  onEnd(() => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    end.abort();
    void work.then(async () => server?.close()).finally(() => process.exit(0));
  });
}
