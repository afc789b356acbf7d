import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { Configuration } from './configuration.js';
import { connectInfrastructure } from './infrastructure.js';
import { RelayerModule } from './relayer.module.js';

/** Time for an orderly shutdown. After it the process exits anyway, and the operating system closes the rest. */
const SHUTDOWN_MS = 5_000;

/**
 * Starts the service: all stages, until SIGTERM, SIGINT, or the end of the parent process that forked it.
 *
 * @throws Error when the database, a node or the address book does not fit. Nothing runs then.
 */
export async function startService(configuration: Configuration): Promise<void> {
  const infrastructure = await connectInfrastructure(configuration);
  const app = await NestFactory.createApplicationContext(RelayerModule.from(infrastructure), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  app.enableShutdownHooks();
  const shutDown = () => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    void app.close().finally(() => process.exit(0));
  };
  // Forked with an IPC channel: end with the parent process, so that nothing is left running.
  process.once('disconnect', shutDown);
  // The parent may have ended during the start.
  if (process.send !== undefined && !process.connected) shutDown();
}
