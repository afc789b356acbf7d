import { setTimeout as sleep } from 'node:timers/promises';
import { onEnd } from '@causeway/service/http';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';

/** Whether the process is shutting down. Long-lived responses such as streams end when the signal aborts. */
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
  /** Milliseconds between reporting not ready and closing the listener, so that load balancers notice. */
  readonly shutdownDelayMs: number;
  /** Maximum milliseconds for the requests still running then. */
  readonly shutdownTimeoutMs: number;
}

const IDLE_CHECK_MS = 100;
/** Milliseconds to close the connections to the database and the nodes after the requests. */
const EXIT_TIMEOUT_MS = 2_000;

/**
 * Shuts down on a signal, in order: readiness, listeners, running requests, then connections to the database and the
 * nodes.
 *
 * @param admin the admin API of the same process, which shares the `Drain`; null when it is off.
 */
export function shutDownOnSignals(
  app: NestFastifyApplication,
  admin: NestFastifyApplication | null,
  { shutdownDelayMs, shutdownTimeoutMs }: ShutdownTimes,
): void {
  const logger = app.get(Logger);
  // The public API ends last because it closes the database.
  const apps = admin === null ? [app] : [admin, app];
  const shutDown = async (delayMs: number) => {
    app.get(Drain).begin();
    logger.log('The API is shutting down');
    setTimeout(() => process.exit(1), delayMs + shutdownTimeoutMs + EXIT_TIMEOUT_MS).unref();
    await sleep(delayMs);
    const servers = apps.map((each) => each.getHttpServer());
    // Closes connections whose last request ended during the shutdown. Node closes only those that were idle before.
    setInterval(() => servers.forEach((server) => server.closeIdleConnections()), IDLE_CHECK_MS).unref();
    // Cuts off requests that take longer.
    setTimeout(() => servers.forEach((server) => server.closeAllConnections()), shutdownTimeoutMs).unref();
    for (const each of apps) await each.close();
    process.exit(0);
  };
  // Without a signal, the parent process has ended and no load balancer needs the delay.
  onEnd((cause) => {
    shutDown(cause === 'signal' ? shutdownDelayMs : 0).catch((error: unknown) => {
      logger.error(error);
      process.exit(1);
    });
  });
}
