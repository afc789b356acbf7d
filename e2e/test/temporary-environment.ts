import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bootEnvironment,
  DEFAULT_ENVIRONMENT_OPTIONS,
  startRpcProxy,
  type RpcHooks,
  type RpcProxy,
  type Environment,
  type EnvironmentOptions,
} from '@causeway/testbed';

/** The port ranges of test environments: a random one of a thousand, so that two at the same time rarely collide. */
const PORTS = { first: 20_000, places: 1_000, perEnvironment: 10 } as const;

/** An environment in which tests step in between a service and its node. */
export interface TestEnvironment extends Environment {
  /** Starts a proxy before the node of a chain, and returns its URL. It ends with the environment. */
  readonly proxyBefore: (chain: 'ethereum' | 'partner', hooks: RpcHooks) => Promise<string>;
  /** Restarts the relayer with its first settings, if a test has changed them. Call it after each test. */
  readonly restoreRelayer: () => Promise<void>;
  /** Ethereum makes blocks for transactions only while `work` runs, so confirmations do not grow with time. */
  readonly whileBlocksWait: <T>(work: () => Promise<T>) => Promise<T>;
}

/** An environment of a test file: short waits, free ports, a folder that goes with it. */
export async function temporaryEnvironment(options: Partial<EnvironmentOptions> = {}): Promise<TestEnvironment> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-test-'));
  chmodSync(directory, 0o755);
  const environment = await bootEnvironment(
    {
      ...DEFAULT_ENVIRONMENT_OPTIONS,
      directory,
      holdSeconds: 2,
      ethereumConfirmations: 4,
      partnerConfirmations: 3,
      // So that the relayer sends nothing that a test did not cause.
      retireAfterSeconds: 86_400,
      portBase: PORTS.first + PORTS.perEnvironment * randomInt(PORTS.places),
      ...options,
    },
    () => undefined,
  );
  const proxies: RpcProxy[] = [];
  let isAsAtFirst = true;
  const restartRelayer: Environment['restartRelayer'] = async (changes) => {
    isAsAtFirst = changes === undefined;
    await environment.restartRelayer(changes);
  };
  return {
    ...environment,
    restartRelayer,
    killRelayer: async () => {
      isAsAtFirst = false;
      await environment.killRelayer();
    },
    restoreRelayer: async () => {
      if (!isAsAtFirst) await restartRelayer();
    },
    whileBlocksWait: async (work) => {
      const { test } = environment.ethereum;
      await test.setAutomine(true);
      try {
        return await work();
      } finally {
        await test.setIntervalMining({ interval: DEFAULT_ENVIRONMENT_OPTIONS.ethereumBlockSeconds });
      }
    },
    proxyBefore: async (chain, hooks) => {
      const proxy = await startRpcProxy(environment.stack[chain].rpcUrl, hooks);
      proxies.push(proxy);
      return proxy.url;
    },
    stop: async () => {
      await environment.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
