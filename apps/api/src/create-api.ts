import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from 'nestjs-pino';
import { ApiModule } from './api.module.js';
import type { Configuration } from './config/configuration.js';

const BODY_LIMIT_BYTES = 64 * 1024;

/** The API as an application that is not listening yet. */
export async function createApi(configuration: Configuration): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true });
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.from(configuration), adapter, {
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.enableShutdownHooks();
  return app;
}
