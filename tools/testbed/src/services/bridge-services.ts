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
  /** Its environment variables. */
  readonly variables: Variables;
}

/** The ports of a service. */
export interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

/** Everything that the services of one bridge share. */
export interface Shared {
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

/** How every fleet is made. */
export const FLEET_OPTIONS = {
  ...DEFAULT_ENVIRONMENT_OPTIONS,
  holdSeconds: 2,
  ethereumConfirmations: 4,
  partnerConfirmations: 3,
} as const;

/** Longer than the balancer needs to notice. */
const SHUTDOWN_DELAY_MS = 1_500;
/** The balancer. */
const BEHIND_BALANCER = { TRUSTED_PROXY_HOPS: '1' } as const;
/** Each is given to a service as a file. */
const SECRETS = new Set([
  'DATABASE_URL',
  'PARTNER_RPC_URLS',
  'MIRROR_URL',
  'UPSTREAM_URLS',
  'RELAYER_PRIVATE_KEY',
  'REDIS_URL',
]);
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

  constructor(
    private readonly processes: Supervisor,
    private readonly directory: string,
    /** With the keys of clients that have limits of their own at the gateways. */
    private readonly keysFile: string,
  ) {}

  /** The last start of every service, in the order of the first starts. */
  get list(): RunningService[] {
    return [...this.started.values()];
  }

  /** The partner chain itself: the gateway with its embedded chain. It is not replaced in a trial. */
  startPartnerNode(ports: Ports, genesisFile: string, release: Release): RunningService {
    const name = 'partner-node';
    const data = makeFolder(join(this.directory, name), findServiceUser('gateway', release));
    const its = { API_KEYS_FILE: this.keysFile, ...chainVariables(data, genesisFile, FLEET_OPTIONS) };
    const gateway = describeGateway(name, ports.port, SHUTDOWN_DELAY_MS, FLEET_OPTIONS);
    return this.start('gateway', gateway, ports, its, release);
  }

  /** A gateway before the node of the partner chain. */
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

  /** Waits until a service says that it is ready. */
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

  /** Writes each secret into a file of its own, and names the file instead. */
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

/** The address of a gateway with the key of the bridge's own processes. */
function addKey(url: string, { gatewayKey }: Shared): string {
  return url.replace('//', `//bridge:${gatewayKey}@`);
}
