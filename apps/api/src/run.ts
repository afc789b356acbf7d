import 'reflect-metadata';
import { ConfigurationError, variablesHelp } from '@causeway/chain/configuration';
import { ApiModule } from './api.module.js';
import { apiVariables, readConfiguration } from './configuration.js';
import { createServer } from './server/http-server.js';

const USAGE = `Usage: node apps/api/dist/main.js [--help]

Serves the public REST API of the bridge. Environment variables configure it
(apps/api/.env.example lists them as a file for node --env-file).

${variablesHelp(apiVariables)}
`;

/** The process ends at the latest this long after a shutdown began, even when a connection does not close. */
const SHUTDOWN_TIMEOUT_MS = 5_000;

/**
 * Starts the API, or prints its help. An unusable configuration is one line for each problem on standard error, and
 * exit code 1.
 */
export async function run(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(USAGE);
    return;
  }
  try {
    await start(env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const configuration = readConfiguration(env);
  const { host, port } = configuration;
  const app = await createServer(ApiModule.from(configuration), configuration);
  try {
    await app.listen(port, host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(
      [`HOST and PORT must name a free address of this machine, not ${host}:${port} (${reason})`],
      {
        cause,
      },
    );
  }
  const end = () => {
    setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_MS).unref();
    void app.close().finally(() => process.exit(0));
  };
  // A parent process started this one over IPC: end with it.
  process.once('disconnect', end);
  // The parent may have ended while this process was starting.
  if (process.send !== undefined && !process.connected) end();
}
