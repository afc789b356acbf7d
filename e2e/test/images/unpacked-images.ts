import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { testAccount, testKey } from '@causeway/test-kit';
import { freePort, temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

/** The images that `test:images` has built and unpacked as in `docs/operate/deploy.md`. */
export const IMAGES = fileURLToPath(new URL('../../../.images', import.meta.url));
export const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
export const COMMANDS = 'commands';
export const RUNNING = ['api', 'gateway', 'relayer', 'attester', 'watchtower'] as const;
/** A long-running service. */
export type RunningService = (typeof RUNNING)[number];

/** The folder of an unpacked image. */
export function getRoot(service: string): string {
  return `${IMAGES}/unpacked/${service}`;
}

/** The release that the build wrote into an image. */
export function readRelease(service: string): { readonly version: string; readonly commit: string } {
  return JSON.parse(readFileSync(`${getRoot(service)}/opt/causeway/dist/bundle/release.json`, 'utf8')) as {
    version: string;
    commit: string;
  };
}

/** Reads a file of an image's archive, a tar in OCI layout. */
export function readArchive<T>(service: string, path: string): T {
  const words = ['--extract', '--to-stdout', `--file=${IMAGES}/${service}.tar`, path];
  return JSON.parse(execFileSync('tar', words, { encoding: 'utf8' })) as T;
}

/** What a service needs to use the chains and the database of an environment. */
export interface Needs {
  readonly variables: Readonly<Record<string, string>>;
  /** Secrets by variable. The service gets each as a file. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly metricsPort: number;
}

/** The key of an environment's `attester-1`. */
export const ATTESTER_KEY = { address: testAccount(13).address, privateKey: testKey(13) };

/** Creates an environment whose only attester is stopped, to be replaced by that of the image. */
export async function environmentForImages(): Promise<TestEnvironment> {
  const environment = await temporaryEnvironment({ attesters: 1, threshold: 1 });
  await environment.processes.kill('attester-1');
  return environment;
}

/** Returns what a service needs. The gateway runs its own embedded chain. */
export async function nameNeeds(service: RunningService, { stack, options }: TestEnvironment): Promise<Needs> {
  const metricsPort = await freePort();
  const listeners = { METRICS_PORT: `${metricsPort}`, METRICS_HOST: '127.0.0.1', PORT: `${await freePort()}` };
  if (service === 'gateway') return { variables: listeners, secrets: {}, metricsPort };
  const variables = {
    ...listeners,
    ENVIRONMENT: 'local',
    HOLD_SECONDS: `${options.holdSeconds}`,
    ETHEREUM_CONFIRMATIONS: `${options.ethereumConfirmations}`,
    PARTNER_CONFIRMATIONS: `${options.partnerConfirmations}`,
    SHUTDOWN_DELAY_MS: '0',
  };
  const { accounts, ethereum, partner, exchangeUrls = [] } = stack;
  const ownNodes = { ETHEREUM_RPC_URLS: `own=${ethereum.rpcUrl}`, PARTNER_RPC_URLS: `own=${partner.rpcUrl}` };
  if (service === 'watchtower') return { variables, secrets: ownNodes, metricsPort };
  if (service === 'attester') {
    const own = {
      ATTESTER_ADDRESS: ATTESTER_KEY.address,
      OPERATORS: [accounts.firstOperator.address, accounts.secondOperator.address].join(','),
      EXCHANGE_URLS: exchangeUrls.join(','),
      // The start waits for it.
      ATTEST_VALIDITY_SECONDS: '1',
    };
    return { variables: { ...variables, ...own }, secrets: ownNodes, metricsPort };
  }
  return {
    variables,
    secrets: {
      DATABASE_URL: stack.databaseUrl,
      ETHEREUM_RPC_URLS: stack.ethereum.rpcUrl,
      PARTNER_RPC_URLS: stack.partner.rpcUrl,
    },
    metricsPort,
  };
}

/** Whether a service reports that it is ready. */
export async function isReady({ metricsPort }: Needs): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/health/ready`).catch(() => null);
  return answer?.status === 200;
}

export type ProcessFiles = Readonly<Record<'status' | 'mountinfo' | 'environ', string>>;

/** Reads the kernel's files about a process of this machine. */
export function readProcess(pid: number): ProcessFiles {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
  return { status: read('status'), mountinfo: read('mountinfo'), environ: read('environ') };
}

/** User ids of a process: real, effective, saved, file system. */
export function listUsers({ status }: ProcessFiles): readonly number[] {
  return /^Uid:\t(.*)$/m.exec(status)?.[1]?.split('\t').map(Number) ?? [];
}

/** Mount options of a process's root. */
export function listRootOptions({ mountinfo }: ProcessFiles): readonly string[] {
  const mounts = mountinfo.split('\n').map((line) => line.split(' '));
  return mounts.findLast((fields) => fields[4] === '/')?.[5]?.split(',') ?? [];
}
