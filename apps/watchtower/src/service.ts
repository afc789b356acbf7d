import { setTimeout as sleep } from 'node:timers/promises';
import { checkChainIds } from '@causeway/chain/named-nodes';
import { getExitCode } from '@causeway/service/configuration';
import { createLog, onEnd, serveMetrics } from '@causeway/service/http';
import type { Logger } from 'pino';
import type { Configuration } from './configuration/configuration.js';
import { openPauser, openVerifier } from './nodes.js';
import { rehearse } from './rehearsal.js';
import { StateFile } from './state-file.js';
import { TurnLog } from './turn-log.js';
import { PauseSender } from './watch/pause-sender.js';
import { Watch, type WatchState } from './watch/watch.js';
import { WatchtowerHealth } from './watchtower-health.js';
import { WatchtowerMetrics } from './watchtower-metrics.js';

/** Time for an orderly shutdown; the process exits after it in any case. */
const SHUTDOWN_MS = 5_000;
/** Pause between turns. */
const TURN_MS = 1_000;
const SAVE_PAUSE_MS = 60_000;
const REHEARSAL_PAUSE_MS = 3_600_000;

/**
 * Starts the service. It watches until a signal, or until the parent process ends.
 *
 * @throws Error when the configuration, the key or the nodes are invalid.
 */
export async function startService(configuration: Configuration): Promise<void> {
  const { sentinels, maxFeePerGas, lagSeconds } = configuration;
  const logger = createLog('watchtower', configuration.logLevel);
  const signer = await openPauser(configuration);
  const metrics = new WatchtowerMetrics();
  const log = new TurnLog(metrics, logger, Date.now);
  const verifier = openVerifier(configuration, (chain, node, kind, question) =>
    log.dissent(chain, node, kind, question),
  );
  await checkChainIds(verifier);
  const pauser = { verifier, signer, sentinels, maxFeePerGas };
  const sender = new PauseSender({
    ...pauser,
    now: Date.now,
    onSent: (chain, hash, problems) => {
      metrics.pausesSent.inc({ chain });
      logger.fatal({ chain, txHash: hash, problems }, 'sent the transaction that pauses the contract');
    },
  });
  const file = new StateFile(configuration.dataDirectory);
  const watch = openWatch(file, logger, (state) => {
    const pause = async (...where: Parameters<PauseSender['pause']>) => sender.pause(...where);
    return new Watch(verifier, { pause, lagSeconds, onProgress: () => log.progress() }, state);
  });
  const end = new AbortController();
  const health = new WatchtowerHealth(log, Date.now);
  const monitored = { service: 'watchtower', registry: metrics.registry, health };
  const server = configuration.metrics === null ? null : await serveMetrics(monitored, configuration.metrics, logger);
  if (server !== null) logger.info({ url: server.url }, 'metrics and health are served');
  let savedAtMs = Date.now();
  const turn = async () => {
    log.turned(await watch.turn());
    if (Date.now() - savedAtMs < SAVE_PAUSE_MS) return;
    savedAtMs = Date.now();
    save(file, watch, logger);
  };
  const work = [
    repeat(TURN_MS, end.signal, turn),
    repeat(REHEARSAL_PAUSE_MS, end.signal, async () => rehearse(pauser, metrics, logger)),
  ];
  const shutDown = (exitCode = 0) => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    end.abort();
    void Promise.allSettled(work)
      .then(() => save(file, watch, logger))
      .then(async () => server?.close())
      .finally(() => process.exit(exitCode));
  };
  onEnd(() => shutDown());
  logger.info({ pauser: signer.address }, 'started');
  Promise.all(work).catch((error: unknown) => {
    logger.fatal({ err: error }, 'the watchtower ends');
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    shutDown(getExitCode(error));
  });
}

/** Opens the watch where the last process stopped. A state that cannot be used is logged, and all is read again. */
function openWatch(file: StateFile, logger: Logger, open: (state: WatchState | null) => Watch): Watch {
  try {
    return open(file.read());
  } catch (error) {
    logger.error({ err: error, file: file.path }, 'the state cannot be used: the chains are read from their start');
    return open(null);
  }
}

/** A state that cannot be saved only makes the next start longer. */
function save(file: StateFile, watch: Watch, logger: Logger): void {
  try {
    file.write(watch.toState());
  } catch (error) {
    logger.error({ err: error, file: file.path }, 'the state was not saved');
  }
}

/** Works until the end, with a pause between runs. */
async function repeat(pauseMs: number, end: AbortSignal, run: () => Promise<void>): Promise<void> {
  while (!end.aborted) {
    await run();
    await sleep(pauseMs, undefined, { signal: end }).catch(() => undefined);
  }
}
