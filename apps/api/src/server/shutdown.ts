import { setTimeout as sleep } from 'node:timers/promises';
import { onEnd } from '@causeway/service/http';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';

/** Whether the process is about to end. Answers that would last, such as streams, end when the signal aborts. */
@Injectable()
export class Drain {
  private readonly controller = new AbortController();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.controller.abort();
  }
}

interface ShutdownTimes {
  /** Between the end of the readiness and the end of the listening, for load balancers to notice, in milliseconds. */
  readonly shutdownDelayMs: number;
  /** The longest time for the requests that run then, in milliseconds. */
  readonly shutdownTimeoutMs: number;
}

const IDLE_CHECK_MS = 100;
/** After the requests: the time to close the connections to the database and the nodes. */
const EXIT_TIMEOUT_MS = 2_000;

/**
 * Ends the process in order when it is to end: the readiness first, then the listening, then the requests that run,
 * then the connections to database and nodes.
 *
 * @param admin the admin API of the same process, which shares the `Drain`; null when there is none.
 */
export function shutDownOnSignals(
  app: NestFastifyApplication,
  admin: NestFastifyApplication | null,
  { shutdownDelayMs, shutdownTimeoutMs }: ShutdownTimes,
): void {
  const logger = app.get(Logger);
  // The database closes with the public API, so that ends last.
  const apps = admin === null ? [app] : [admin, app];
  const shutDown = async (delayMs: number) => {
    app.get(Drain).begin();
    logger.log('The API is shutting down');
    setTimeout(() => process.exit(1), delayMs + shutdownTimeoutMs + EXIT_TIMEOUT_MS).unref();
    await sleep(delayMs);
    const servers = apps.map((each) => each.getHttpServer());
    // A connection whose last request ended during the shutdown. Node closes those that are idle before.
    setInterval(() => servers.forEach((server) => server.closeIdleConnections()), IDLE_CHECK_MS).unref();
    // Requests that take longer are cut off.
    setTimeout(() => servers.forEach((server) => server.closeAllConnections()), shutdownTimeoutMs).unref();
    for (const each of apps) await each.close();
    process.exit(0);
  };
  // After the process that started this one, no load balancer asks.
  onEnd((cause) => {
    shutDown(cause === 'signal' ? shutdownDelayMs : 0).catch((error: unknown) => {
      logger.error(error);
      process.exit(1);
    });
  });
}
