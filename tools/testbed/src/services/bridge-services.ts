import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Migration } from '@causeway/store/schema';
import { testAccounts } from '../bridge/accounts.js';
import {
  chainVariables,
  describeApi,
  describeGateway,
  describeRelayer,
  type BridgeFacts,
  type Variables,
} from '../bridge/descriptions.js';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '../bridge/options.js';
import type { ProcessDescription, Supervisor } from '../processes/supervisor.js';
import type { DatabaseServer } from './database.js';
import { placeInImage, runInImage } from './run-in-image.js';
import { findUser, makeFolder, writeOwned, type ServiceUser } from './service-user.js';

const require = createRequire(import.meta.url);

/** A release of the services. */
export interface Release {
  /** Entry point of each service's bundle. */
  readonly bundles: Readonly<Record<BridgeService, string>>;
  /** Folder of each service's unpacked image, to run the service in. Needs root. */
  readonly images?: Readonly<Record<BridgeService, string>>;
  /** Migrations that a fleet starts with. Default: those of this build. */
  readonly migrations?: readonly Migration[];
}

/** A service of the bridge. */
export type BridgeService = 'api' | 'relayer' | 'gateway';

/** Finds the user of a service. */
export function findServiceUser(service: BridgeService, { images }: Release): ServiceUser {
  return findUser(images === undefined ? service : 'image');
}

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
  /** Unused by a relayer. */
  readonly port: number;
  /** Port of its health and metrics. */
  readonly metricsPort: number;
  /** Answers 200 when it is ready. */
  readonly readyUrl: string;
  readonly pid: number;
  readonly variables: Variables;
}

/** The ports of a service. */
export interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

/** What the services of one bridge share. */
export interface Shared {
  readonly addressBookFile: string;
  readonly ethereumUrl: string;
  /** URL of the load balancer of the gateways. */
  readonly partnerUrl: string;
  /** URL of the only node, which is also the mirror. */
  readonly partnerNodeUrl: string;
  /** API key of the bridge's own processes at the gateways. */
  readonly gatewayKey: string;
  readonly publicOrigin: string;
  readonly redisUrl: string;
  readonly database: DatabaseServer;
  readonly passwords: Readonly<Record<'api' | 'relayer', string>>;
}

/** Options of every fleet. */
export const FLEET_OPTIONS = {
  ...DEFAULT_ENVIRONMENT_OPTIONS,
  holdSeconds: 2,
  ethereumConfirmations: 4,
  partnerConfirmations: 3,
} as const;

/** Longer than the load balancer needs to notice the shutdown. */
const SHUTDOWN_DELAY_MS = 1_500;
/** The load balancer is the only proxy. */
const BEHIND_BALANCER = { TRUSTED_PROXY_HOPS: '1' } as const;
/** Variables that services get as files. */
const SECRETS = new Set([
  'DATABASE_URL',
  'PARTNER_RPC_URLS',
  'MIRROR_URL',
  'UPSTREAM_URLS',
  'RELAYER_PRIVATE_KEY',
  'REDIS_URL',
]);
/**
 * The value in images and units. Limits the C library to two heaps for all threads of a process. With its default,
 * eight a core, the partner chain's node keeps hundreds of MB of free memory.
 */
const MEMORY = { MALLOC_ARENA_MAX: '2' } as const;

/** Starts the services of one bridge, each under its own user, with its secrets in files. */
export class BridgeServices {
  /** Milliseconds from the start of each service until it was ready. */
  readonly startMs = new Map<string, number>();
  private readonly started = new Map<string, RunningService>();

  constructor(
    private readonly processes: Supervisor,
    private readonly directory: string,
    /** Keys of clients with their own limits at the gateways. */
    private readonly keysFile: string,
  ) {}

  /** The latest start of every service, in the order of the first starts. */
  get list(): RunningService[] {
    return [...this.started.values()];
  }

  /** The gateway with the embedded partner chain. A trial does not replace it. */
  startPartnerNode(ports: Ports, genesisFile: string, release: Release): RunningService {
    const name = 'partner-node';
    const data = makeFolder(join(this.directory, name), findServiceUser('gateway', release));
    const its = { API_KEYS_FILE: this.keysFile, ...chainVariables(data, genesisFile, FLEET_OPTIONS) };
    const gateway = describeGateway(name, ports.port, SHUTDOWN_DELAY_MS, FLEET_OPTIONS);
    return this.start('gateway', gateway, ports, its, release);
  }

  /** A gateway in front of the partner chain's node. */
  startGateway(name: string, ports: Ports, shared: Shared, release: Release, changes: Variables): RunningService {
    const its = {
      API_KEYS_FILE: this.keysFile,
      BACKEND: 'upstream',
      UPSTREAM_URLS: addKey(shared.partnerNodeUrl, shared),
      ...BEHIND_BALANCER,
    };
    const gateway = describeGateway(name, ports.port, SHUTDOWN_DELAY_MS, FLEET_OPTIONS);
    return this.start('gateway', gateway, ports, { ...its, ...changes }, release);
  }

  startRelayer(name: string, ports: Ports, shared: Shared, release: Release, changes: Variables): RunningService {
    const relayer = describeRelayer(name, gatherFacts(shared, release));
    return this.start('relayer', relayer, ports, changes, release, [shared.database.authorityFile]);
  }

  startApi(name: string, ports: Ports, shared: Shared, release: Release, changes: Variables): RunningService {
    const api = describeApi(name, gatherFacts(shared, release), {
      port: ports.port,
      publicNodes: { ethereum: shared.ethereumUrl, partner: shared.partnerUrl },
      shutdownDelayMs: SHUTDOWN_DELAY_MS,
      // All clients of a trial share one address.
      exemptClients: FLEET_OPTIONS.exemptClients,
    });
    const its = { PUBLIC_ORIGIN: shared.publicOrigin, REDIS_URL: shared.redisUrl, ...BEHIND_BALANCER };
    return this.start('api', api, ports, { ...its, ...changes }, release, [shared.database.authorityFile]);
  }

  /** Waits until a service reports that it is ready. */
  async untilReady({ name }: RunningService): Promise<void> {
    this.startMs.set(name, await this.processes.ready(name));
  }

  private start(
    service: BridgeService,
    { name, env }: ProcessDescription,
    { port, metricsPort }: Ports,
    changes: Variables,
    release: Release,
    files: readonly string[] = [],
  ): RunningService {
    const user = findServiceUser(service, release);
    const terms = { METRICS_PORT: `${metricsPort}`, ...MEMORY };
    const variables = { ...this.hideSecrets(name, { ...env, ...changes }, user), ...terms };
    const image = release.images?.[service];
    const readyUrl = `http://127.0.0.1:${metricsPort}/health/ready`;
    const program =
      image === undefined
        ? { module: release.bundles[service], env: variables, user }
        : runInImage(image, variables, files);
    const { pid } = this.processes.start({ name, ...program, readyUrl });
    const started = { name, service, port, metricsPort, readyUrl, pid, variables };
    this.started.set(name, started);
    return started;
  }

  /** Moves each secret to its own file, and sets the variable that names the file. */
  private hideSecrets(name: string, variables: Variables, user: ServiceUser): Variables {
    const folder = makeFolder(join(this.directory, `${name}-secrets`), user);
    return Object.fromEntries(
      Object.entries(variables).map(([variable, value]) =>
        SECRETS.has(variable)
          ? [`${variable}_FILE`, writeOwned(folder, variable, `${value}\n`, user)]
          : [variable, value],
      ),
    );
  }
}

function gatherFacts(shared: Shared, { images }: Release): BridgeFacts {
  const { port, authorityFile } = shared.database;
  const authority = images === undefined ? authorityFile : placeInImage(authorityFile);
  const terms = `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
  const login = (role: 'relayer' | 'api') =>
    `postgresql://causeway_${role}:${shared.passwords[role]}@127.0.0.1:${port}/causeway?${terms}`;
  return {
    terms: FLEET_OPTIONS,
    accounts: testAccounts(),
    addressBookFile: shared.addressBookFile,
    databaseUrls: { relayer: login('relayer'), api: login('api') },
    nodes: {
      ethereum: shared.ethereumUrl,
      partner: addKey(shared.partnerUrl, shared),
      mirror: addKey(shared.partnerNodeUrl, shared),
    },
  };
}

/** Adds the key of the bridge's own processes to a gateway's URL. */
function addKey(url: string, { gatewayKey }: Shared): string {
  return url.replace('//', `//bridge:${gatewayKey}@`);
}
