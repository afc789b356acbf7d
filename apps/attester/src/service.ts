import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkChainIds } from '@causeway/chain/named-nodes';
import { openSigner } from '@causeway/chain/signers';
import { ConfigurationError, getExitCode } from '@causeway/service/configuration';
import { createLog, onEnd, serveMetrics } from '@causeway/service/http';
import { MemoryRecord, type Verifier } from '@causeway/verifier';
import type { Logger } from 'pino';
import { AttesterHealth } from './attester-health.js';
import { AttesterMetrics } from './attester-metrics.js';
import type { Configuration } from './configuration/configuration.js';
import { readOwnSettings } from './exchange/compare-settings.js';
import { ExchangeClient } from './exchange/exchange-client.js';
import { ExchangeSession } from './exchange/exchange-session.js';
import { openVerifier } from './nodes.js';
import { AttestRecord } from './record/attest-record.js';
import { BatchSigner } from './signing/batch-signer.js';
import { checkLimits } from './signing/contract-limits.js';
import { ReservesSigner } from './signing/reserves-signer.js';
import { StartWait } from './signing/start-wait.js';

/** Time for an orderly shutdown; the process exits after it in any case. */
const SHUTDOWN_MS = 5_000;
const CHECK_PAUSE_MS = 2_000;
/** How often the record forgets entries that no judgement needs. */
const FORGET_PAUSE_MS = 600_000;

/**
 * Starts the service. It works for all exchanges until a signal, or until the parent process ends.
 *
 * @throws Error when the configuration, the key, the nodes, the limits or the record are invalid.
 */
export async function startService(configuration: Configuration): Promise<void> {
  const logger = createLog('attester', configuration.logLevel);
  const warn = (sentence: string) => logger.warn(sentence);
  const signer = await openSigner(configuration.signer, configuration.address, warn);
  const contracts = new ContractsCheck(configuration, logger);
  await contracts.tryNow();
  const record = await AttestRecord.open(configuration.dataDirectory);
  const verifier = openVerifier(configuration, record);
  const end = new AbortController();
  const metrics = new AttesterMetrics();
  metrics.watchRecord(record);
  const startedAtMs = Date.now() - performance.now();
  const monotonic = () => (startedAtMs + performance.now()) / 1_000;
  const isLocal = configuration.environment === 'local';
  const { address, limits, validitySeconds } = configuration;
  const wait = new StartWait(monotonic(), validitySeconds, isLocal);
  const batchSigner = new BatchSigner({
    verifier,
    record,
    signer,
    address,
    limits,
    validitySeconds,
    wait,
    monotonic,
    findObstacle: () => contracts.obstacle,
    now: Date.now,
  });
  const instance = randomUUID();
  const settings = readOwnSettings(configuration);
  const reservesSigner = new ReservesSigner(verifier, signer);
  const parts = { verifier, record, batchSigner, reservesSigner, metrics, settings, logger, now: Date.now };
  const sessions = configuration.exchangeUrls.map(
    (url) => new ExchangeSession(new ExchangeClient(url, signer, instance, end.signal), parts, end.signal),
  );
  const findObstacle = () => batchSigner.findObstacle();
  const health = new AttesterHealth({ sessions, record, findObstacle, now: Date.now });
  const monitored = { service: 'attester', registry: metrics.registry, health };
  const server = configuration.metrics === null ? null : await serveMetrics(monitored, configuration.metrics, logger);
  if (server !== null) logger.info({ url: server.url }, 'metrics and health are served');
  const work = [
    contracts.run(end.signal),
    forget(batchSigner, logger, end.signal),
    ...sessions.map(async (session) => session.run()),
  ];
  const shutDown = (exitCode = 0) => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    end.abort();
    void Promise.allSettled(work)
      // A recorded signature can still be made, but is not sent.
      .then(async () => record.close())
      .then(async () => server?.close())
      .finally(() => process.exit(exitCode));
  };
  onEnd(() => shutDown());
  logger.info({ address, entries: record.size, exchanges: sessions.map(({ client }) => client.name) }, 'started');
  Promise.all(work).catch((error: unknown) => {
    logger.fatal({ err: error }, 'the attester ends');
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    shutDown(getExitCode(error));
  });
}

/** Runs `forget` periodically. While the nodes do not answer, the record keeps growing. */
async function forget(batchSigner: BatchSigner, logger: Logger, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await sleep(FORGET_PAUSE_MS, undefined, { signal: end }).catch(() => undefined);
    if (end.aborted) return;
    await batchSigner.forget().catch((error: unknown) => logger.warn({ err: error }, 'nothing was forgotten'));
  }
}

/** Checks nodes and limits against the contracts. Nothing is signed before the check has passed. */
class ContractsCheck {
  private readonly verifier: Verifier;
  private hasPassed = false;

  constructor(
    private readonly configuration: Configuration,
    private readonly logger: Logger,
  ) {
    // The check runs before the record is opened and does not need it.
    this.verifier = openVerifier(configuration, new MemoryRecord());
  }

  get obstacle(): string | null {
    return this.hasPassed ? null : 'The contracts have not been read yet.';
  }

  /** @throws ConfigurationError when the configuration is proven wrong. Unavailable nodes prove nothing. */
  async tryNow(): Promise<void> {
    await checkChainIds(this.verifier);
    try {
      await checkLimits(this.verifier, this.configuration.limits);
      this.hasPassed = true;
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      this.logger.warn({ err: error }, 'the contracts cannot be read yet; until then nothing is signed');
    }
  }

  /** Retries until the check has passed. @throws ConfigurationError */
  async run(end: AbortSignal): Promise<void> {
    while (!this.hasPassed && !end.aborted) {
      await sleep(CHECK_PAUSE_MS, undefined, { signal: end }).catch(() => undefined);
      if (!end.aborted) await this.tryNow();
    }
  }
}
