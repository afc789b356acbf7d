import 'reflect-metadata';
import { readConfiguration } from './config/configuration.js';
import { createApi } from './create-api.js';

/** What does not close by itself in this time is left to the operating system. */
const PATIENCE_MS = 5_000;

try {
  const configuration = readConfiguration(process.env);
  const app = await createApi(configuration);
  await app.listen(configuration.port, configuration.host);
  // Started by another process over IPC: end with it, so that nothing is left behind.
  const end = () => {
    setTimeout(() => process.exit(1), PATIENCE_MS).unref();
    void app.close().finally(() => process.exit(0));
  };
  process.once('disconnect', end);
  // It may have ended while this one was starting.
  if (process.send !== undefined && !process.connected) end();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
