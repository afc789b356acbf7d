import 'reflect-metadata';
import { ConfigurationError, getExitCode, variablesHelp } from '@causeway/configuration';
import { listAssets } from '@causeway/protocol';
import { isDatabaseUnavailable, type Store } from '@causeway/store';
import { createAdminServer, listenForConsole } from './admin/admin-server.js';
import { readConsole } from './admin/console.controller.js';
import { ApiModule } from './api.module.js';
import { apiVariables, readConfiguration } from './configuration.js';
import { STORE } from './infrastructure.js';
import { createServer } from './server/http-server.js';
import { shutDownOnSignals } from './server/shutdown.js';

const USAGE = `Usage: node apps/api/dist/bundle/main.js [--help]

Serves the public REST API of the bridge, and with ADMIN_PORT the operators'
console and its API on a listener of their own. Environment variables configure it
(apps/api/.env.example lists them as a file for node --env-file).

${variablesHelp(apiVariables)}
`;

/**
 * Starts the API, or prints its help. An unusable configuration is one line for each problem on standard error, and
 * exit code 1. A database that does not fit is one line, and the exit code of its error.
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
    process.exit(getExitCode(error));
  }
}

/** A database that is away may fit: the readiness waits for it. */
async function refuseIncompatible(store: Store): Promise<void> {
  try {
    await store.assertCompatible(listAssets());
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  }
}

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const configuration = readConfiguration(env);
  const { host, port } = configuration;
  const app = await createServer(ApiModule.from(configuration), configuration);
  await refuseIncompatible(app.get<Store>(STORE));
  await app.init();
  const admin = await createAdminServer(app, configuration, readConsole());
  // First, so that a start that fails here has served no client.
  if (admin !== null) await listenForConsole(admin, configuration);
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
  shutDownOnSignals(app, admin, configuration.http);
}
