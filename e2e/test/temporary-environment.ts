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

/** Ports of test environments begin somewhere here; a thousand places, so that two environments that start in the same moment do not meet. */
const PORTS = { first: 20_000, places: 1_000, perEnvironment: 10 } as const;

/** An environment in which tests step in between a service and its node. */
export interface TestEnvironment extends Environment {
  /** Starts a proxy before the node of a chain, which ends with the environment, and gives its URL. */
  readonly proxyBefore: (chain: 'ethereum' | 'partner', hooks: RpcHooks) => Promise<string>;
  /** Restarts the relayer as it was at first, unless it still is: for after every test, since one that fails leaves it as it is. */
  readonly restoreRelayer: () => Promise<void>;
  /** Lets Ethereum make blocks for transactions only while something is done, so that none gets more confirmations by itself. */
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
