import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bootEnvironment,
  DEFAULT_ENVIRONMENT_OPTIONS,
  type Environment,
  type EnvironmentOptions,
} from '@causeway/testbed';
import { startRpcProxy, type RpcHooks, type RpcProxy } from './proxies/rpc-proxy.js';

/** The port range of test environments: a thousand places, so that two that start together rarely choose the same. */
const PORTS = { first: 20_000, places: 1_000, perEnvironment: 10 } as const;

/** An environment with proxies between a service and its node. */
export interface TestEnvironment extends Environment {
  /** Starts a proxy before the node of a chain, which ends with the environment, and returns its URL. */
  readonly proxyBefore: (chain: 'ethereum' | 'partner', hooks: RpcHooks) => Promise<string>;
  /** Restarts the relayer with its first settings if a test has changed them. Call it in `afterEach`. */
  readonly restoreRelayer: () => Promise<void>;
  /** Meanwhile Ethereum makes blocks for transactions only, so that no transaction gets more confirmations. */
  readonly whileBlocksWait: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The environment of a test file: short waits, free ports, and a folder that is deleted at the end. */
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
      // The relayer then sends only what a test causes.
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
