import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployBridge, readAddressBook, writeAddressBook } from '@causeway/contracts/deploy';
import { chainProfile } from '@causeway/protocol';
import { migrate, openStore } from '@causeway/store';
import { ProcessGroup } from '../processes/process-group.js';
import { runToEnd } from '../processes/run-to-end.js';
import { waitUntil } from '../processes/wait-until.js';
import { chainClients, type EthereumClients } from './chain-clients.js';
import { claimDirectory } from './claim-directory.js';
import { fundAccounts } from './fund-accounts.js';
import { HeldPorts } from './held-ports.js';
import { localDeployment } from './local-deployment.js';
import { partnerGenesis } from './partner-genesis.js';
import { SavedState } from './saved-state.js';
import type { StackFile } from './stack-file.js';
import { testAccounts } from './test-accounts.js';
import type { RelayerChanges, World } from './world.js';
import type { WorldOptions } from './world-options.js';

const require = createRequire(import.meta.url);
const PROFILE = chainProfile('local');

/** A chain of the world and where it answers. */
interface RunningChain {
  readonly url: string;
  readonly clients: EthereumClients;
}

/**
 * Boots a whole bridge: Ethereum, the partner chain behind its gateway, PostgreSQL, contracts, money, API and relayer, each in a process of its own.
 * Nothing is faked; only Ethereum is a development node.
 *
 * @param onStep hears of every step, for people who wait.
 * @throws Error that says which part did not start and where its log is; whatever had started is ended again.
 */
export async function bootWorld(options: WorldOptions, onStep: (step: string) => void): Promise<World> {
  const directory = resolve(options.directory);
  claimDirectory(directory);
  const logs = join(directory, 'logs');
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const ports = await HeldPorts.choose(options.portBase);
  const processes = new ProcessGroup(logs);
  try {
    return await boot({ ...options, directory }, processes, ports, onStep);
  } catch (error) {
    await processes.stop();
    throw error;
  } finally {
    await ports.releaseAll();
  }
}

async function boot(
  options: WorldOptions,
  processes: ProcessGroup,
  ports: HeldPorts,
  onStep: (step: string) => void,
): Promise<World> {
  const state = new SavedState(options.directory);
  const resumed = state.open(options.fresh);
  const accounts = testAccounts();

  onStep(`starting Ethereum, the partner chain and PostgreSQL${resumed ? ', where the last run stopped' : ''}`);
  const ethereum = startEthereum(processes, {
    port: await ports.release('ethereum'),
    blockSeconds: options.ethereumBlockSeconds,
    stateFile: state.path('ethereum.json'),
  });
  const genesisFile = state.path('partner-genesis.json');
  writeFileSync(genesisFile, JSON.stringify(partnerGenesis(accounts)));
  const partner = startPartnerChain(processes, {
    port: await ports.release('partner'),
    blockSeconds: options.partnerBlockSeconds,
    confirmations: options.partnerConfirmations,
    dataDirectory: state.path('partner'),
    genesisFile,
  });
  const databaseUrl = options.databaseUrl ?? (await startDatabase(processes, state.path('postgres')));
  for (const { clients } of [ethereum, partner]) {
    await processes.unlessBroken(
      waitUntil('the chains answer', async () => (await clients.client.getBlockNumber()) >= 0n),
    );
  }

  onStep('preparing the database');
  await migrate(databaseUrl);
  const addressBookFile = state.path('address-book.json');
  if (!resumed) {
    await assertUnused(databaseUrl);
    onStep('deploying the contracts');
    const book = await deployBridge({
      config: localDeployment(accounts),
      ethereum: { wallet: ethereum.clients.walletOf(accounts.deployer), client: ethereum.clients.client },
      partner: { wallet: partner.clients.walletOf(accounts.deployer), client: partner.clients.client },
    });
    writeAddressBook(addressBookFile, book);
    onStep('funding the accounts');
    await fundAccounts({ book, accounts, ethereum: ethereum.clients });
  }

  onStep('starting the relayer and the API');
  const apiPort = await ports.release('api');
  const origin = `http://127.0.0.1:${apiPort}`;
  const stack: StackFile = {
    pid: process.pid,
    apiUrl: `${origin}/api/v1`,
    healthUrl: `${origin}/health`,
    ethereum: { chainId: PROFILE.ethereumChainId, rpcUrl: ethereum.url },
    partner: {
      chainId: PROFILE.partnerChainId,
      rpcUrl: partner.url,
      wsUrl: `${partner.url.replace(/^http/, 'ws')}/ws`,
    },
    databaseUrl,
    holdSeconds: options.holdSeconds,
    addressBook: readAddressBook(addressBookFile),
    addressBookFile,
    accounts,
    logs: join(options.directory, 'logs'),
  };
  startRelayer(processes, stack, options);
  startApi(processes, stack, options, apiPort);
  const healthy = waitUntil('the API reports healthy', async () => (await fetch(stack.healthUrl)).ok);
  await processes.unlessBroken(healthy);

  const stackFile = join(options.directory, 'stack.json');
  writeFileSync(stackFile, `${JSON.stringify(stack, null, 2)}\n`);
  return {
    stack,
    book: stack.addressBook,
    accounts,
    ethereum: ethereum.clients,
    partner: partner.clients,
    broken: processes.broken,
    operate: (...words) =>
      runToEnd(require.resolve('@causeway/relayer/main'), words, relayerEnvironment(stack, options)),
    killRelayer: () => processes.kill('relayer'),
    restartRelayer: async (changes = {}) => {
      await processes.kill('relayer');
      startRelayer(processes, stack, options, changes);
    },
    stop: async () => {
      await processes.stop('api', 'relayer');
      state.seal();
      rmSync(stackFile, { force: true });
    },
  };
}

/** A development node with Ethereum's rules. */
function startEthereum(
  processes: ProcessGroup,
  chain: { port: number; blockSeconds: number; stateFile: string },
): RunningChain {
  const { port, blockSeconds, stateFile } = chain;
  const chainId = PROFILE.ethereumChainId;
  const flags = { host: '127.0.0.1', port, 'chain-id': chainId, 'block-time': blockSeconds, state: stateFile };
  const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, `${value}`]);
  processes.start({
    name: 'ethereum',
    module: besideMe('../processes/anvil.js'),
    args: [...args, '--silent'],
    env: {},
  });
  const url = `http://127.0.0.1:${port}`;
  return { url, clients: chainClients('ethereum', chainId, url) };
}

/** The partner chain itself, behind its gateway. Everything here comes from one address, so the limits for the public are off. */
function startPartnerChain(
  processes: ProcessGroup,
  chain: { port: number; blockSeconds: number; confirmations: number; dataDirectory: string; genesisFile: string },
): RunningChain {
  const { port, blockSeconds, confirmations, dataDirectory, genesisFile } = chain;
  const chainId = PROFILE.partnerChainId;
  const env = {
    CHAIN_ID: `${chainId}`,
    PORT: `${port}`,
    DATA_DIRECTORY: dataDirectory,
    GENESIS: genesisFile,
    BLOCK_INTERVAL_MS: `${blockSeconds * 1000}`,
    CONFIRMATIONS: `${confirmations}`,
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    WS_CONNECTIONS_PER_IP: '0',
  };
  processes.start({ name: 'partner', module: require.resolve('@causeway/gateway/main'), env });
  const url = `http://127.0.0.1:${port}`;
  return { url, clients: chainClients('partner', chainId, url) };
}

async function startDatabase(processes: ProcessGroup, dataDirectory: string): Promise<string> {
  const module = besideMe('../processes/postgres.js');
  const child = processes.start({ name: 'postgres', module, args: [dataDirectory], env: {} });
  return String(await processes.unlessBroken(child.message));
}

function startRelayer(
  processes: ProcessGroup,
  stack: StackFile,
  options: WorldOptions,
  changes: RelayerChanges = {},
): void {
  const { ethereumRpcUrl, partnerRpcUrl, replaceAfterSeconds } = changes;
  const { retireAfterSeconds = options.retireAfterSeconds } = changes;
  const env = {
    ...relayerEnvironment(stack, { ...options, retireAfterSeconds }),
    ...(ethereumRpcUrl === undefined ? {} : { ETHEREUM_RPC_URLS: ethereumRpcUrl }),
    ...(partnerRpcUrl === undefined ? {} : { PARTNER_RPC_URLS: partnerRpcUrl }),
    ...(replaceAfterSeconds === undefined ? {} : { REPLACE_AFTER_MS: `${1_000 * replaceAfterSeconds}` }),
  };
  processes.start({ name: 'relayer', module: require.resolve('@causeway/relayer/main'), env });
}

function relayerEnvironment(stack: StackFile, options: WorldOptions): Record<string, string> {
  return {
    ...sharedEnvironment(stack, options),
    RELAYER_PRIVATE_KEY: stack.accounts.relayer.privateKey,
    POLL_MS: '250',
    LEASE_MS: '3000',
    RETIRE_AFTER_MS: `${1_000 * options.retireAfterSeconds}`,
    // A few blocks: nothing waits long on a chain of one's own.
    REPLACE_AFTER_MS: `${8_000 * Math.max(1, options.ethereumBlockSeconds, options.partnerBlockSeconds)}`,
  };
}

function startApi(processes: ProcessGroup, stack: StackFile, options: WorldOptions, port: number): void {
  const env = {
    ...sharedEnvironment(stack, options),
    PORT: `${port}`,
    ETHEREUM_BLOCK_SECONDS: `${options.ethereumBlockSeconds}`,
    PARTNER_BLOCK_SECONDS: `${options.partnerBlockSeconds}`,
  };
  processes.start({ name: 'api', module: require.resolve('@causeway/api/main'), env });
}

function sharedEnvironment(stack: StackFile, options: WorldOptions): Record<string, string> {
  return {
    ENVIRONMENT: 'local',
    DATABASE_URL: stack.databaseUrl,
    ADDRESS_BOOK: stack.addressBookFile,
    ETHEREUM_RPC_URLS: stack.ethereum.rpcUrl,
    PARTNER_RPC_URLS: stack.partner.rpcUrl,
    HOLD_SECONDS: `${options.holdSeconds}`,
    ETHEREUM_CONFIRMATIONS: `${options.ethereumConfirmations}`,
    PARTNER_CONFIRMATIONS: `${options.partnerConfirmations}`,
  };
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

function besideMe(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
