import 'reflect-metadata';
import { pino } from 'pino';
import { describeVariables } from './config/describe-variables.js';
import { readConfiguration } from './config/read-configuration.js';
import { letHeapGrow } from './let-heap-grow.js';
import { openGateway } from './open-gateway.js';

/** On top of the time that calls under way have; what has not ended then is left to the operating system. */
const PATIENCE_MS = 4_000;

if (process.argv.includes('--help')) {
  process.stdout.write(
    `The partner chain's JSON-RPC gateway. Environment variables set it up:\n\n${describeVariables()}\n`,
  );
  process.exit(0);
}

try {
  const configuration = readConfiguration(process.env);
  if (configuration.backend.kind === 'upstream') letHeapGrow();
  const logger = pino({ level: configuration.logLevel, base: { service: 'gateway' } });
  const app = await openGateway(configuration, logger);
  await app.listen(configuration.port, configuration.host);
  const url = await app.getUrl();
  logger.info({ url }, 'The gateway listens');

  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), configuration.shutdownTimeoutMs + PATIENCE_MS).unref();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'The gateway did not end in order');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  // Started by another process over IPC: tell it where, and end with it, so that nothing is left behind.
  process.once('disconnect', end);
  // It may have ended while this one was starting.
  if (process.send !== undefined && !process.connected) end();
  else process.send?.(url);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
