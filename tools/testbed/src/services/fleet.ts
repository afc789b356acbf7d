import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressBook } from '@causeway/protocol';
import { testAccounts, type TestAccounts } from '../bridge/accounts.js';
import { chainClients, type ChainClients, type EthereumClients } from '../bridge/clients.js';
import { deployAndFund, untilChainsAnswer, writeGenesis } from '../bridge/chains.js';
import { describeEthereum, PROFILE, type Variables } from '../bridge/descriptions.js';
import { RunRecord } from '../processes/run-record.js';
import { Supervisor } from '../processes/supervisor.js';
import {
  BridgeServices,
  findServiceUser,
  FLEET_OPTIONS,
  THIS_RELEASE,
  type Release,
  type Shared,
} from './bridge-services.js';
import { BALANCER_NOTICE_MS } from './configuration-files.js';
import { prepareDatabase, startDatabase, type DatabaseServer } from './database.js';
import { ensurePrograms } from './debian-programs.js';
import { makeGatewayKey, type GatewayKey } from './gateway-key.js';
import { startMonitoring, untilMonitored, type Monitoring } from './monitoring.js';
import { APIS, choosePorts, GATEWAYS, type FleetPorts } from './ports.js';
import { startBalancer, startRedis } from './programs.js';
import { findUser, makeFolder } from './service-user.js';

/** The whole bridge as services, each process under its own user, as if on several machines. */
export interface Fleet {
  readonly directory: string;
  /** URLs of the load balancers of the APIs and of the gateways. */
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  /** Key with which the gateways exempt the bridge's own processes from limits. */
  readonly gatewayKey: GatewayKey;
  readonly book: AddressBook;
  readonly addressBookFile: string;
  readonly ethereumUrl: string;
  /** URL of the partner chain's node. */
  readonly partnerNodeUrl: string;
  readonly accounts: TestAccounts;
  readonly ethereum: EthereumClients;
  readonly partner: ChainClients;
  readonly database: DatabaseServer;
  readonly monitoring: Monitoring;
  readonly services: BridgeServices;
  /** Processes by name. */
  readonly processes: Supervisor;
  /** Names of the services that can be replaced: all but the partner chain. */
  readonly listReplaceable: () => string[];
  /** Replaces a service by that of a release: sends SIGTERM, waits, starts the new one, waits until it is ready. */
  readonly replace: (name: string, release: Release) => Promise<void>;
  /** Sends SIGKILL to a service, and restarts it as a supervisor would. */
  readonly killAndRestart: (name: string) => Promise<void>;
  /** Starts a killed service with changed environment variables, and waits until it is ready. */
  readonly start: (name: string, changes?: Variables) => Promise<void>;
  /** Stops every process. Returns a sentence for each process that failed to stop cleanly. */
  readonly stop: () => Promise<readonly string[]>;
}

/** Options of a fleet. */
export interface FleetOptions {
  /** Folder of all files. Default: a new temporary folder. */
  readonly directory?: string;
  readonly release?: Release;
  /** Receives a sentence about each step. */
  readonly onStep: (step: string) => void;
}

/**
 * Starts a fleet.
 *
 * @throws Error naming the part that did not start, and its log. Parts that had started are stopped.
 */
export async function startFleet({ directory: given, release = THIS_RELEASE, onStep }: FleetOptions): Promise<Fleet> {
  await ensurePrograms(onStep);
  const directory = given ?? mkdtempSync(join(tmpdir(), 'causeway-services-'));
  const logs = join(directory, 'logs');
  mkdirSync(logs, { recursive: true });
  // Users of all services can enter this folder; secrets are in separate folders.
  chmodSync(directory, 0o755);
  const record = await RunRecord.open(directory, onStep);
  const processes = new Supervisor(logs, onStep, record);
  try {
    return await processes.unlessBroken(boot({ directory, release, processes, record, onStep }));
  } catch (error) {
    await processes.stop();
    record.clear();
    throw error;
  }
}

interface Boot {
  readonly directory: string;
  readonly release: Release;
  readonly processes: Supervisor;
  readonly record: RunRecord;
  readonly onStep: (step: string) => void;
}

async function boot({ directory, release, processes, record, onStep }: Boot): Promise<Fleet> {
  const ports = await choosePorts();
  const key = makeGatewayKey(directory, findServiceUser('gateway', release));
  const services = new BridgeServices(processes, directory, key.file);

  onStep('starting Ethereum, the partner chain, PostgreSQL and Redis');
  const ethereum = startEthereum(processes, directory, ports.ethereum);
  const genesisFile = join(directory, 'partner-genesis.json');
  writeGenesis(genesisFile, FLEET_OPTIONS);
  chmodSync(genesisFile, 0o444);
  const node = services.startPartnerNode(ports.node, genesisFile, release);
  const nodeUrl = `http://127.0.0.1:${ports.node.port}`;
  const partner = chainClients('partner', PROFILE.partnerChainId, nodeUrl, key.authorization);
  const redisUrl = startRedis(processes, directory, ports.redis);
  const addressBookFile = join(directory, 'address-book.json');
  const makeDatabase = async () => {
    const server = await startDatabase(processes, directory, ports.postgres);
    return { server, passwords: await prepareDatabase(server, release.migrations) };
  };
  const makeBridge = async () => {
    await services.untilReady(node);
    await untilChainsAnswer(ethereum, partner);
    const deployed = await deployAndFund(ethereum, partner, FLEET_OPTIONS, addressBookFile, () => undefined);
    await ethereum.test.setIntervalMining({ interval: FLEET_OPTIONS.ethereumBlockSeconds });
    return deployed;
  };
  onStep('creating the roles and the tables, and deploying the contracts');
  const [{ server, passwords }, book] = await Promise.all([makeDatabase(), makeBridge()]);
  chmodSync(addressBookFile, 0o444);

  onStep('starting two gateways and three APIs behind a load balancer, two relayers, Prometheus and Alertmanager');
  const apiUrl = `http://127.0.0.1:${ports.apiBalancer}`;
  const gatewayUrl = `http://127.0.0.1:${ports.gatewayBalancer}`;
  const shared: Shared = {
    addressBookFile,
    ethereumUrl: `http://127.0.0.1:${ports.ethereum}`,
    partnerUrl: gatewayUrl,
    partnerNodeUrl: nodeUrl,
    gatewayKey: key.secret,
    publicOrigin: apiUrl,
    redisUrl,
    database: server,
    passwords,
  };
  const releases = new Map<string, Release>();
  const startOne = (name: string, from: Release, changes: Variables = {}) => {
    releases.set(name, from);
    const its = ports.services.get(name);
    if (its === undefined) throw new Error(`${name} cannot be replaced`);
    if (name.startsWith('gateway')) return services.startGateway(name, its, shared, from, changes);
    return name.startsWith('api')
      ? services.startApi(name, its, shared, from, changes)
      : services.startRelayer(name, its, shared, from, changes);
  };
  startBalancer(processes, directory, describePools(ports));
  const startAgain = async (name: string, changes?: Variables) =>
    services.untilReady(startOne(name, releases.get(name) ?? release, changes));
  const started = [...ports.services.keys()].map((name) => startOne(name, release));
  const monitoring = startMonitoring(processes, directory, ports, services.list);
  await Promise.all([...started.map(async (each) => services.untilReady(each)), untilMonitored(monitoring)]);
  return {
    directory,
    apiUrl,
    gatewayUrl,
    gatewayKey: key,
    book,
    addressBookFile,
    ethereumUrl: shared.ethereumUrl,
    partnerNodeUrl: shared.partnerNodeUrl,
    accounts: testAccounts(),
    ethereum,
    partner,
    database: server,
    monitoring,
    services,
    processes,
    listReplaceable: () => [...ports.services.keys()],
    replace: async (name, from) => {
      await processes.end(name);
      await services.untilReady(startOne(name, from));
      await sleep(BALANCER_NOTICE_MS);
    },
    killAndRestart: async (name) => {
      await processes.kill(name);
      await startAgain(name);
    },
    start: startAgain,
    stop: async () => {
      const problems = await processes.stop(...ports.services.keys());
      record.clear();
      return problems;
    },
  };
}

function startEthereum(processes: Supervisor, directory: string, port: number): EthereumClients {
  const user = findUser('anvil');
  const state = join(makeFolder(join(directory, 'ethereum'), user), 'state.json');
  processes.start({ ...describeEthereum(port, state), env: { HOME: directory }, user });
  return chainClients('ethereum', PROFILE.ethereumChainId, `http://127.0.0.1:${port}`);
}

function describePools({ services, apiBalancer, gatewayBalancer }: FleetPorts) {
  const pick = (names: readonly string[]) =>
    [...services].filter(([name]) => names.includes(name)).map(([name, its]) => ({ name, ...its }));
  return [
    { name: 'apis', port: apiBalancer, servers: pick(APIS) },
    { name: 'gateways', port: gatewayBalancer, servers: pick(GATEWAYS) },
  ];
}
