import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { readConfiguration } from './config/configuration.js';
import { RelayerModule } from './relayer.module.js';

try {
  const configuration = readConfiguration(process.env);
  const app = await NestFactory.createApplicationContext(RelayerModule.from(configuration), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  app.enableShutdownHooks();
  // Started by another process over IPC: end with it, so that nothing is left behind.
  process.once('disconnect', () => void app.close().finally(() => process.exit(0)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
