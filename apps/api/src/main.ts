import 'reflect-metadata';
import { readConfiguration } from './config/configuration.js';
import { createApi } from './create-api.js';

try {
  const configuration = readConfiguration(process.env);
  const app = await createApi(configuration);
  await app.listen(configuration.port, configuration.host);
  // Started by another process over IPC: end with it, so that nothing is left behind.
  process.once('disconnect', () => void app.close().finally(() => process.exit(0)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
