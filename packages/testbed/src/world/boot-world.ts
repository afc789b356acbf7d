import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployBridge, readAddressBook, writeAddressBook } from '@causeway/contracts/deploy';
import { chainProfile, type AddressBook } from '@causeway/protocol';
import { migrate, openStore } from '@causeway/store';
import { startChild, type Child } from '../processes/child-process.js';
import { waitUntil } from '../processes/wait-until.js';
import { chainClients } from './chain-clients.js';
import { choosePorts } from './choose-ports.js';
import { fundAccounts } from './fund-accounts.js';
import { localDeployment } from './local-deployment.js';
import { claimDirectory } from './claim-directory.js';
import { SavedState } from './saved-state.js';
import { testAccounts } from './test-accounts.js';
import type { World } from './world.js';
import type { WorldOptions } from './world-options.js';

const require = createRequire(import.meta.url);
const PROFILE = chainProfile('local');

/**
 * Boots a whole bridge: two chains, PostgreSQL, contracts, money, API and relayer, each in a process of its own. Nothing
 * is faked; only the chains are development nodes.
 *
 * @param onStep hears of every step, for people who wait.
 * @throws Error that says which part did not start and where its log is; whatever had started is ended again.
 */
export async function bootWorld(options: WorldOptions, onStep: (step: string) => void): Promise<World> {
  const directory = resolve(options.directory);
  claimDirectory(directory);
  const children = new Map<string, Child>();
  try {
    return await boot(options, directory, children, onStep);
  } catch (error) {
    await stopAll(children);
    throw error;
  }
}

async function boot(
  options: WorldOptions,
  directory: string,
  children: Map<string, Child>,
  onStep: (step: string) => void,
): Promise<World> {
  const logs = join(directory, 'logs');
  const state = new SavedState(directory);
  const resumed = state.open(options.fresh);
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const ports = await choosePorts(options.portBase);
  const accounts = testAccounts();
  const run = (name: string, module: string, args: readonly string[], env: Record<string, string>): Child => {
    const child = startChild({ name, module, args, env, logFile: join(logs, `${name}.log`) });
    children.set(name, child);
    return child;
  };
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

  onStep(`starting Ethereum, the partner chain and PostgreSQL${resumed ? ', where the last run stopped' : ''}`);
  const startChain = (name: 'ethereum' | 'partner', chainId: number, port: number, blockSeconds: number) => {
    const url = `http://127.0.0.1:${port}`;
    const args = [
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--chain-id',
      `${chainId}`,
      '--block-time',
      `${blockSeconds}`,
      '--state',
      state.path(`${name}.json`),
    ];
    run(name, here('../processes/anvil.js'), [...args, '--silent'], {});
    return { url, clients: chainClients(name, chainId, url) };
  };
  const ethereum = startChain('ethereum', PROFILE.ethereumChainId, ports.ethereum, options.ethereumBlockSeconds);
  const partner = startChain('partner', PROFILE.partnerChainId, ports.partner, options.partnerBlockSeconds);
  const databaseUrl =
    options.databaseUrl ?? (await startDatabase(run, here('../processes/postgres.js'), state.path('postgres')));
  await Promise.all(
    [ethereum, partner].map(({ clients }) =>
      waitUntil('the chains answer', () => clients.client.getBlockNumber().then(() => true)),
    ),
  );

  onStep('preparing the database');
  await migrate(databaseUrl);
  if (!resumed) await assertUnused(databaseUrl);

  const addressBookFile = state.path('address-book.json');
  if (!resumed) {
    onStep('deploying the contracts');
    const book = await deployBridge({
      config: localDeployment(accounts),
      ethereum: { wallet: ethereum.clients.walletOf(accounts.deployer), client: ethereum.clients.client },
      partner: { wallet: partner.clients.walletOf(accounts.deployer), client: partner.clients.client },
    });
    writeAddressBook(addressBookFile, book);
    onStep('funding the accounts');
    await fundAccounts({ book, accounts, ethereum: ethereum.clients, partner: partner.clients });
  }
  const book: AddressBook = readAddressBook(addressBookFile);

  onStep('starting the relayer and the API');
  const shared = {
    ENVIRONMENT: 'local',
    DATABASE_URL: databaseUrl,
    ADDRESS_BOOK: addressBookFile,
    ETHEREUM_RPC_URLS: ethereum.url,
    PARTNER_RPC_URLS: partner.url,
    HOLD_SECONDS: `${options.holdSeconds}`,
    ETHEREUM_CONFIRMATIONS: `${options.ethereumConfirmations}`,
    PARTNER_CONFIRMATIONS: `${options.partnerConfirmations}`,
  };
  const startRelayer = (urls: { ethereumRpcUrl?: string; partnerRpcUrl?: string } = {}) =>
    run('relayer', require.resolve('@causeway/relayer/main'), [], {
      ...shared,
      ETHEREUM_RPC_URLS: urls.ethereumRpcUrl ?? ethereum.url,
      PARTNER_RPC_URLS: urls.partnerRpcUrl ?? partner.url,
      RELAYER_PRIVATE_KEY: accounts.relayer.privateKey,
      POLL_MS: '250',
      LEASE_MS: '3000',
    });
  startRelayer();
  run('api', require.resolve('@causeway/api/main'), [], {
    ...shared,
    PORT: `${ports.api}`,
    ETHEREUM_BLOCK_SECONDS: `${options.ethereumBlockSeconds}`,
    PARTNER_BLOCK_SECONDS: `${options.partnerBlockSeconds}`,
  });
  const origin = `http://127.0.0.1:${ports.api}`;
  let deliberate = false;
  const broken = new Promise<string>((resolveBroken) => {
    for (const child of children.values()) {
      void child.ended.then((how) => {
        if (!deliberate) resolveBroken(how);
      });
    }
  });
  await Promise.race([
    waitUntil('the API reports healthy', async () => (await fetch(`${origin}/health`)).ok),
    broken.then((how) => Promise.reject(new Error(how))),
  ]);

  const stack = {
    pid: process.pid,
    apiUrl: `${origin}/api/v1`,
    healthUrl: `${origin}/health`,
    ethereum: { chainId: PROFILE.ethereumChainId, rpcUrl: ethereum.url },
    partner: { chainId: PROFILE.partnerChainId, rpcUrl: partner.url },
    databaseUrl,
    holdSeconds: options.holdSeconds,
    addressBook: book,
    addressBookFile,
    accounts,
    logs,
  };
  const stackFile = join(directory, 'stack.json');
  writeFileSync(stackFile, `${JSON.stringify(stack, null, 2)}\n`);
  const killRelayer = async () => {
    deliberate = true;
    await children.get('relayer')?.kill();
  };
  return {
    stack,
    book,
    accounts,
    ethereum: ethereum.clients,
    partner: partner.clients,
    children,
    broken,
    killRelayer,
    restartRelayer: async (urls) => {
      await killRelayer();
      startRelayer(urls);
    },
    stop: async () => {
      deliberate = true;
      await stopAll(children);
      state.seal();
      rmSync(stackFile, { force: true });
    },
  };
}

async function startDatabase(
  run: (name: string, module: string, args: readonly string[], env: Record<string, string>) => Child,
  module: string,
  dataDirectory: string,
): Promise<string> {
  mkdirSync(join(dataDirectory, '..'), { recursive: true });
  const child = run('postgres', module, [dataDirectory], {});
  const url = await Promise.race([child.message, child.ended.then((how) => Promise.reject(new Error(how)))]);
  return String(url);
}

/** The chains are new: a database that has read others would wait for blocks that never come. */
async function assertUnused(databaseUrl: string): Promise<void> {
  const store = openStore({ databaseUrl, onIdleError: () => undefined });
  const cursor = await store.scan.cursor(PROFILE.ethereumChainId);
  await store.close();
  if (cursor !== null) {
    throw new Error('The database belongs to an earlier run with other chains. Give an empty one with --database-url');
  }
}

/** Services first, then what they stand on. */
async function stopAll(children: ReadonlyMap<string, Child>): Promise<void> {
  const services = ['api', 'relayer'].flatMap((name) => children.get(name) ?? []);
  await Promise.all(services.map((child) => child.stop()));
  await Promise.all([...children.values()].map((child) => child.stop()));
}
