import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Migration } from '@causeway/store/schema';
import { waitUntil, type ProcessGroup } from '../processes/process-group.js';
import { testAccounts } from '../environment/accounts.js';
import { allowList, PROFILE } from '../environment/services.js';
import type { DatabaseServer } from './database.js';
import { placeInImage, runInImage } from './run-in-image.js';
import { findUser, makeFolder, writeOwned, type ServiceUser } from './service-user.js';

const require = createRequire(import.meta.url);

/** A release of the services. */
export interface Release {
  /** Where the bundle of each service begins. */
  readonly bundles: Readonly<Record<BridgeService, string>>;
  /** The folder of each unpacked image, in which the service runs then. Needs root. */
  readonly images?: Readonly<Record<BridgeService, string>>;
  /** The tables that a fleet of it begins with. Those of this build unless given. */
  readonly migrations?: readonly Migration[];
}

/** A service of the bridge. */
export type BridgeService = 'api' | 'relayer' | 'gateway';

/** Under whom a service runs. */
export function findServiceUser(service: BridgeService, { images }: Release): ServiceUser {
  return findUser(images === undefined ? service : 'image');
}

/** The bundles of this build. */
export const THIS_RELEASE: Release = {
  bundles: {
    api: require.resolve('@causeway/api/main'),
    relayer: require.resolve('@causeway/relayer/main'),
    gateway: require.resolve('@causeway/gateway/main'),
  },
};

/** A running service of the bridge. */
export interface RunningService {
  readonly name: string;
  readonly service: BridgeService;
  /** A relayer does not use it. */
  readonly port: number;
  /** Where its health and its metrics are. */
  readonly metricsPort: number;
  /** Answers 200 when it is ready. */
  readonly readyUrl: string;
  readonly pid: number;
  /** By the clock of `performance`. */
  readonly startedAtMs: number;
  /** Its environment variables. */
  readonly variables: Variables;
}

/** Environment variables by their names. */
export type Variables = Readonly<Record<string, string>>;

/** The terms of every gateway. */
interface GatewayTerms {
  readonly genesis: string;
  /** The keys of clients with limits of their own. */
  readonly keysFile: string;
}

/** Everything that the services of one bridge share. */
export interface Shared {
  readonly directory: string;
  readonly addressBookFile: string;
  readonly ethereumUrl: string;
  /** Of the gateways' balancer. */
  readonly partnerUrl: string;
  /** Of the one node, which is also the mirror. */
  readonly partnerNodeUrl: string;
  /** Of the bridge's own processes, at the gateways. */
  readonly gatewayKey: string;
  readonly publicOrigin: string;
  readonly redisUrl: string;
  readonly database: DatabaseServer;
  readonly passwords: Readonly<Record<'api' | 'relayer', string>>;
}

/** The name of the one service that is not replaced in a trial: it holds the chain. */
const PARTNER_NODE = 'partner-node';
const HOLD_SECONDS = 2;
const CONFIRMATIONS = { ethereum: 4, partner: 3 } as const;
const LEASE_MS = 3_000;
const RETIRE_AFTER_MS = 5_000;
/** Longer than the balancer needs to notice. */
const SHUTDOWN_DELAY_MS = 1_500;

/**
 * As images and units set it. The threads of a process share two heaps of the C library: with eight a core, which is
 * its default, the node of the partner chain keeps hundreds of MB that are free.
 */
const MEMORY = { MALLOC_ARENA_MAX: '2' } as const;

/** Starts the services of one bridge, each under its own user with its secrets as files. */
export class BridgeServices {
  /** From the start of each service until it was ready. */
  readonly startMs = new Map<string, number>();
  private readonly started = new Map<string, RunningService>();

  constructor(private readonly processes: ProcessGroup) {}

  /** The last start of every service, in the order of the first starts. */
  get list(): RunningService[] {
    return [...this.started.values()];
  }

  /** The partner chain itself: the gateway with its embedded chain. */
  startPartnerNode(ports: Ports, directory: string, terms: GatewayTerms, release: Release): RunningService {
    const env = {
      PORT: `${ports.port}`,
      DATA_DIRECTORY: makeFolder(join(directory, PARTNER_NODE), findServiceUser('gateway', release)),
      GENESIS: terms.genesis,
      BLOCK_INTERVAL_MS: '1000',
      ...gatewayVariables(terms),
    };
    return this.start('gateway', PARTNER_NODE, ports, env, release);
  }

  /** A gateway before the node of the partner chain. */
  startGateway(
    name: string,
    ports: Ports,
    shared: Shared,
    terms: GatewayTerms,
    release: Release,
    changes: Variables,
  ): RunningService {
    const env = {
      PORT: `${ports.port}`,
      BACKEND: 'upstream',
      TRUSTED_PROXY_HOPS: '1',
      ...gatewayVariables(terms),
      ...this.passSecrets(name, 'gateway', shared, release, {
        UPSTREAM_URLS: addKey(shared.partnerNodeUrl, shared),
      }),
    };
    return this.start('gateway', name, ports, change(env, changes), release);
  }

  startRelayer(name: string, ports: Ports, shared: Shared, release: Release, changes: Variables): RunningService {
    const { relayer, firstOperator, secondOperator } = testAccounts();
    const secrets = {
      ...databaseSecret(shared, 'relayer', release),
      PARTNER_RPC_URLS: addKey(shared.partnerUrl, shared),
      MIRROR_URL: addKey(shared.partnerNodeUrl, shared),
      RELAYER_PRIVATE_KEY: relayer.privateKey,
    };
    const env = {
      ...sharedVariables(shared),
      RELAYER_NAME: name,
      OPERATORS: [firstOperator.address, secondOperator.address].join(','),
      LEASE_MS: `${LEASE_MS}`,
      RETIRE_AFTER_MS: `${RETIRE_AFTER_MS}`,
      ...this.passSecrets(name, 'relayer', shared, release, secrets),
    };
    return this.start('relayer', name, ports, change(env, changes), release, [shared.database.authorityFile]);
  }

  startApi(name: string, ports: Ports, shared: Shared, release: Release, changes: Variables): RunningService {
    const secrets = {
      ...databaseSecret(shared, 'api', release),
      PARTNER_RPC_URLS: addKey(shared.partnerUrl, shared),
      MIRROR_URL: addKey(shared.partnerNodeUrl, shared),
      REDIS_URL: shared.redisUrl,
    };
    const env = {
      ...sharedVariables(shared),
      PORT: `${ports.port}`,
      PUBLIC_ORIGIN: shared.publicOrigin,
      TRUSTED_PROXY_HOPS: '1',
      // All clients of a trial share one address.
      RATE_LIMIT_EXEMPT_IPS: '127.0.0.1,::1',
      SHUTDOWN_DELAY_MS: `${SHUTDOWN_DELAY_MS}`,
      ...this.passSecrets(name, 'api', shared, release, secrets),
    };
    return this.start('api', name, ports, change(env, changes), release, [shared.database.authorityFile]);
  }

  /** Waits until a service says that it is ready. */
  async untilReady({ name, readyUrl, startedAtMs }: RunningService): Promise<void> {
    await waitUntil(`${name} is ready`, async () => (await fetch(readyUrl)).ok);
    this.startMs.set(name, performance.now() - startedAtMs);
  }

  private start(
    service: BridgeService,
    name: string,
    { port, metricsPort }: Ports,
    env: Variables,
    release: Release,
    files: readonly string[] = [],
  ): RunningService {
    const variables = { ...env, METRICS_PORT: `${metricsPort}`, ...MEMORY };
    const image = release.images?.[service];
    const startedAtMs = performance.now();
    const child = this.processes.start(
      image === undefined
        ? { name, module: release.bundles[service], env: variables, user: findServiceUser(service, release) }
        : { name, ...runInImage(image, variables, files) },
    );
    const readyUrl = `http://127.0.0.1:${metricsPort}/health/ready`;
    const started = { name, service, port, metricsPort, readyUrl, pid: child.pid, startedAtMs, variables };
    this.started.set(name, started);
    return started;
  }

  /** Writes each secret into a file of its own. Returns the variables. */
  private passSecrets(
    name: string,
    service: BridgeService,
    { directory }: Shared,
    release: Release,
    secrets: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>> {
    const user = findServiceUser(service, release);
    const folder = makeFolder(join(directory, `${name}-secrets`), user);
    return Object.fromEntries(
      Object.entries(secrets).map(([variable, value]) => [
        `${variable}_FILE`,
        writeOwned(folder, variable, `${value}\n`, user),
      ]),
    );
  }
}

/** Changed variables. A value takes the place of a secret's file. */
function change(variables: Variables, changes: Variables): Variables {
  const kept = Object.entries(variables).filter(([name]) => changes[name.replace(/_FILE$/, '')] === undefined);
  return { ...Object.fromEntries(kept), ...changes };
}

/** The ports of a service. */
export interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

function gatewayVariables({ keysFile }: GatewayTerms): Record<string, string> {
  return {
    CHAIN_ID: `${PROFILE.partnerChainId}`,
    CONFIRMATIONS: `${CONFIRMATIONS.partner}`,
    API_KEYS_FILE: keysFile,
    SHUTDOWN_DELAY_MS: `${SHUTDOWN_DELAY_MS}`,
  };
}

/** The address of a gateway with the key of the bridge's own processes. */
function addKey(url: string, { gatewayKey }: Shared): string {
  return url.replace('//', `//bridge:${gatewayKey}@`);
}

function databaseSecret({ database, passwords }: Shared, role: 'api' | 'relayer', { images }: Release) {
  const { port, authorityFile } = database;
  const authority = images === undefined ? authorityFile : placeInImage(authorityFile);
  const terms = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
  return { DATABASE_URL: `postgresql://causeway_${role}:${passwords[role]}@127.0.0.1:${port}/causeway?${terms}` };
}

function sharedVariables({ addressBookFile, ethereumUrl, partnerUrl }: Shared): Record<string, string> {
  return {
    ADMIN_ALLOW_LIST: allowList(testAccounts()),
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: addressBookFile,
    ETHEREUM_RPC_URLS: ethereumUrl,
    PUBLIC_ETHEREUM_RPC_URLS: ethereumUrl,
    PUBLIC_PARTNER_RPC_URLS: partnerUrl,
    HOLD_SECONDS: `${HOLD_SECONDS}`,
    ETHEREUM_CONFIRMATIONS: `${CONFIRMATIONS.ethereum}`,
    PARTNER_CONFIRMATIONS: `${CONFIRMATIONS.partner}`,
  };
}
