import { createRequire } from 'node:module';
import { join } from 'node:path';
import { waitUntil, type ProcessGroup } from '../processes/process-group.js';
import { testAccounts } from '../environment/accounts.js';
import { allowList, PROFILE } from '../environment/services.js';
import type { DatabaseServer } from './database.js';
import { findUser, makeFolder, writeOwned, type UserName } from './service-user.js';

const require = createRequire(import.meta.url);

/** Where the bundle of each service begins. Another release has others. */
export type Release = Readonly<Record<BridgeService, string>>;

/** A service of the bridge. */
export type BridgeService = 'api' | 'relayer' | 'gateway';

/** The bundles of this build. */
export const THIS_RELEASE: Release = {
  api: require.resolve('@causeway/api/main'),
  relayer: require.resolve('@causeway/relayer/main'),
  gateway: require.resolve('@causeway/gateway/main'),
};

/** A running service of the bridge. */
export interface RunningService {
  readonly name: string;
  readonly service: BridgeService;
  /** A relayer does not use it. */
  readonly port: number;
  /** Where its health and its metrics are. */
  readonly metricsPort: number;
  readonly pid: number;
}

/** Files that every gateway reads. */
interface GatewayFiles {
  readonly genesis: string;
  /** The keys of clients with limits of their own. */
  readonly keys: string;
}

/** Everything that the services of one bridge share. */
export interface Shared {
  readonly directory: string;
  readonly addressBookFile: string;
  readonly ethereumUrl: string;
  /** Of the gateways' balancer, with the key of the bridge's own processes. */
  readonly partnerUrl: string;
  /** The same of the one node, which is also the mirror. */
  readonly partnerNodeUrl: string;
  readonly publicOrigin: string;
  readonly redisUrl: string;
  readonly database: DatabaseServer;
  readonly passwords: Readonly<Record<'api' | 'relayer', string>>;
}

/** The name of the one service that is not replaced in a trial: it holds the chain. */
export const PARTNER_NODE = 'partner-node';
const HOLD_SECONDS = 2;
const CONFIRMATIONS = { ethereum: 4, partner: 3 } as const;
const LEASE_MS = 3_000;

/** Starts the services of one bridge, each under its own user with its secrets as files. */
export class BridgeServices {
  private readonly started = new Map<string, RunningService>();

  constructor(private readonly processes: ProcessGroup) {}

  /** The last start of every service, in the order of the first starts. */
  get list(): RunningService[] {
    return [...this.started.values()];
  }

  /** The partner chain itself: the gateway with its embedded chain. */
  startPartnerNode(ports: Ports, directory: string, files: GatewayFiles, release: Release): RunningService {
    const env = {
      PORT: `${ports.port}`,
      DATA_DIRECTORY: makeFolder(join(directory, PARTNER_NODE), findUser('gateway')),
      GENESIS: files.genesis,
      BLOCK_INTERVAL_MS: '1000',
      ...gatewayVariables(files),
    };
    return this.start('gateway', PARTNER_NODE, ports, env, release);
  }

  /** A gateway before the node of the partner chain. */
  startGateway(name: string, ports: Ports, shared: Shared, files: GatewayFiles, release: Release): RunningService {
    const env = {
      PORT: `${ports.port}`,
      BACKEND: 'upstream',
      TRUSTED_PROXY_HOPS: '1',
      ...gatewayVariables(files),
      ...this.writeSecrets(name, 'gateway', shared, { UPSTREAM_URLS: shared.partnerNodeUrl }),
    };
    return this.start('gateway', name, ports, env, release);
  }

  startRelayer(name: string, ports: Ports, shared: Shared, release: Release): RunningService {
    const { relayer, firstOperator, secondOperator } = testAccounts();
    const secrets = {
      ...databaseSecret(shared, 'relayer'),
      PARTNER_RPC_URLS: shared.partnerUrl,
      MIRROR_URL: shared.partnerNodeUrl,
      RELAYER_PRIVATE_KEY: relayer.privateKey,
    };
    const env = {
      ...sharedVariables(shared),
      RELAYER_NAME: name,
      OPERATORS: [firstOperator.address, secondOperator.address].join(','),
      LEASE_MS: `${LEASE_MS}`,
      ...this.writeSecrets(name, 'relayer', shared, secrets),
    };
    return this.start('relayer', name, ports, env, release);
  }

  startApi(name: string, ports: Ports, shared: Shared, release: Release): RunningService {
    const secrets = {
      ...databaseSecret(shared, 'api'),
      PARTNER_RPC_URLS: shared.partnerUrl,
      MIRROR_URL: shared.partnerNodeUrl,
      REDIS_URL: shared.redisUrl,
    };
    const env = {
      ...sharedVariables(shared),
      PORT: `${ports.port}`,
      PUBLIC_ORIGIN: shared.publicOrigin,
      TRUSTED_PROXY_HOPS: '1',
      // All clients of a trial share one address.
      RATE_LIMIT_EXEMPT_IPS: '127.0.0.1,::1',
      SHUTDOWN_DELAY_MS: '1500',
      ...this.writeSecrets(name, 'api', shared, secrets),
    };
    return this.start('api', name, ports, env, release);
  }

  private start(
    service: BridgeService,
    name: string,
    { port, metricsPort }: Ports,
    env: Readonly<Record<string, string>>,
    release: Release,
  ): RunningService {
    const user = findUser(service);
    const variables = { ...env, METRICS_PORT: `${metricsPort}` };
    const child = this.processes.start({ name, module: release[service], env: variables, user });
    const started = { name, service, port, metricsPort, pid: child.pid };
    this.started.set(name, started);
    return started;
  }

  /** Writes each secret into a file of its own, and returns the variables that name the files. */
  private writeSecrets(
    name: string,
    userName: UserName,
    { directory }: Shared,
    secrets: Readonly<Record<string, string>>,
  ): Record<string, string> {
    const user = findUser(userName);
    const folder = makeFolder(join(directory, `${name}-secrets`), user);
    return Object.fromEntries(
      Object.entries(secrets).map(([variable, value]) => [
        `${variable}_FILE`,
        writeOwned(folder, variable, `${value}\n`, user),
      ]),
    );
  }
}

/** The ports of a service. */
export interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

/** Waits until a service says that it is ready. */
export async function untilReady({ name, metricsPort }: RunningService): Promise<void> {
  await waitUntil(`${name} is ready`, async () => (await fetch(`http://127.0.0.1:${metricsPort}/health/ready`)).ok);
}

function gatewayVariables({ keys }: GatewayFiles): Record<string, string> {
  return {
    CHAIN_ID: `${PROFILE.partnerChainId}`,
    CONFIRMATIONS: `${CONFIRMATIONS.partner}`,
    API_KEYS_FILE: keys,
  };
}

function databaseSecret({ database, passwords }: Shared, role: 'api' | 'relayer') {
  const { port, authorityFile } = database;
  const terms = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authorityFile)}`;
  return { DATABASE_URL: `postgresql://causeway_${role}:${passwords[role]}@127.0.0.1:${port}/causeway?${terms}` };
}

function sharedVariables({ addressBookFile, ethereumUrl, partnerUrl }: Shared): Record<string, string> {
  return {
    ADMIN_ALLOW_LIST: allowList(testAccounts()),
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: addressBookFile,
    ETHEREUM_RPC_URLS: ethereumUrl,
    PUBLIC_ETHEREUM_RPC_URLS: ethereumUrl,
    PUBLIC_PARTNER_RPC_URLS: new URL(partnerUrl).origin,
    HOLD_SECONDS: `${HOLD_SECONDS}`,
    ETHEREUM_CONFIRMATIONS: `${CONFIRMATIONS.ethereum}`,
    PARTNER_CONFIRMATIONS: `${CONFIRMATIONS.partner}`,
  };
}
