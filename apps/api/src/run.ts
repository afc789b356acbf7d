import 'reflect-metadata';
import { setTimeout } from 'node:timers/promises';
import { describeRelease, getExitCode, variablesHelp } from '@causeway/service/configuration';
import { listAssets, type AddressBook } from '@causeway/protocol';
import { isDatabaseUnavailable, type Store } from '@causeway/store';
import { createAdminServer, listenForConsole } from './admin/admin-server.js';
import { readConsole } from './admin/console.controller.js';
import { ApiModule } from './api.module.js';
import { apiVariables, readConfiguration } from './configuration.js';
import { CHAINS, STORE, type Chains } from './infrastructure.js';
import { createServer } from './server/http-server.js';
import { shutDownOnSignals } from './server/shutdown.js';

const USAGE = `Usage: node apps/api/dist/bundle/main.js [--help | --version]

Serves the public REST API of the bridge, and with ADMIN_PORT the operators'
console and its API on a listener of their own. Environment variables configure it
(apps/api/.env.example lists them as a file for node --env-file).

${variablesHelp(apiVariables)}
`;

/**
 * Starts the API, or prints its help or version. An invalid configuration prints one line per problem on standard error
 * and exits with code 78; any other failure prints one line and exits with code 1.
 */
export async function run(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(USAGE);
    return;
  }
  if (words.includes('--version')) {
    process.stdout.write(`${describeRelease('api')}\n`);
    return;
  }
  try {
    await start(env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(getExitCode(error));
  }
}

/** How long the start waits for the nodes of both chains before it continues without the unavailable ones. */
const PATIENCE_MS = 2_000;

/** Refuses nodes of another chain. Unavailable nodes may be right; health shows them. */
async function refuseWrongChains({ ethereum, partner }: Chains): Promise<void> {
  const checked = Promise.all([ethereum.ready(), partner.ready()]);
  const patience = new AbortController();
  await Promise.race([checked, setTimeout(PATIENCE_MS, undefined, patience)]).finally(() => patience.abort());
}

/** Refuses an incompatible database. An unavailable database may be right; readiness waits for it. */
async function refuseIncompatible(store: Store, book: AddressBook): Promise<void> {
  try {
    await store.assertPrimary(Date.now);
    await store.assertCompatible(listAssets());
    await store.assertDeployment(book);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  }
}

async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const configuration = readConfiguration(env);
  const { host, port } = configuration;
  const app = await createServer(ApiModule.from(configuration), configuration);
  await Promise.all([
    refuseIncompatible(app.get<Store>(STORE), configuration.addressBook),
    refuseWrongChains(app.get<Chains>(CHAINS)),
  ]);
  await app.init();
  const admin = await createAdminServer(app, configuration, readConsole());
  // First, so that a start that fails here has not served any client.
  if (admin !== null) await listenForConsole(admin, configuration);
  try {
    await app.listen(port, host);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`HOST and PORT must name a free address of this machine, not ${host}:${port} (${reason})`, {
      cause,
    });
  }
  shutDownOnSignals(app, admin, configuration.http);
}
