import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bootEnvironment,
  DEFAULT_ENVIRONMENT_OPTIONS,
  type Environment,
  type EnvironmentOptions,
  type User,
} from '@causeway/testbed';
import { getToken, isTerminal, type BridgeOperationResponse, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  AnswerChecker,
  checkFetchedAnswers,
  startRpcProxy,
  waitUntil,
  type RpcHooks,
  type RpcProxy,
} from '@causeway/test-kit';
import type { Address, Hex } from 'viem';

/** Port range of test environments: a thousand places, so that two that start together rarely choose the same. */
const PORTS = { first: 20_000, places: 1_000, perEnvironment: 10 } as const;

/** An environment with proxies between a service and its node. */
export interface TestEnvironment extends Environment {
  /** Starts a proxy for a chain's node, which stops with the environment, and returns its URL. */
  readonly proxyBefore: (chain: 'ethereum' | 'partner', hooks: RpcHooks) => Promise<string>;
  /** Restarts the relayer with its original settings if a test has changed them. Call it in `afterEach`. */
  readonly restoreRelayer: () => Promise<void>;
  /** Runs work while Ethereum makes blocks only for transactions, so that confirmations stop. */
  readonly whileBlocksWait: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The environment of a test file: short waits, free ports, and a folder that is deleted at the end. */
export async function temporaryEnvironment(options: Partial<EnvironmentOptions> = {}): Promise<TestEnvironment> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-test-'));
  const environment = await bootEnvironment(
    {
      ...DEFAULT_ENVIRONMENT_OPTIONS,
      directory,
      holdSeconds: 2,
      ethereumConfirmations: 4,
      partnerConfirmations: 3,
      // The relayer then sends only transactions that a test causes.
      retireAfterSeconds: 86_400,
      portBase: PORTS.first + PORTS.perEnvironment * randomInt(PORTS.places),
      ...options,
    },
    () => undefined,
  );
  const { apiUrl } = environment.stack;
  const document = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as ConstructorParameters<
    typeof AnswerChecker
  >[0];
  const endChecks = checkFetchedAnswers(apiUrl, new AnswerChecker(document));
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
      endChecks();
    },
  };
}

/** Finds a free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Interventions of tests: reverts, dropped deposits, proxies.

/**
 * Reverts Ethereum to a snapshot and sets its clock to now: a reverted node continues at the snapshot's time, while the
 * clock of a real chain never goes back.
 */
export async function revertEthereum({ ethereum }: TestEnvironment, snapshot: Hex): Promise<void> {
  await ethereum.test.revert({ id: snapshot });
  const { timestamp } = await ethereum.client.getBlock();
  await ethereum.test.increaseTime({ seconds: Math.floor(Date.now() / 1_000) - Number(timestamp) });
}

/** Deposits ETH, and drops it by a reorg before it is final. Returns when the relayer has dropped it too. */
export async function dropDeposit(
  environment: TestEnvironment,
  user: User,
  amount: bigint,
  recipient: Address,
): Promise<Hex> {
  const { client, test } = environment.ethereum;
  const originTxHash = await environment.whileBlocksWait(async () => {
    const deposit = await user.deposit('ETH', amount, recipient);
    await waitUntil('it is read', () => user.isRead(deposit.originTxHash));
    const depth = (await client.getBlockNumber()) - deposit.receipts.at(-1)!.blockNumber + 1n;
    await test.request({ method: 'anvil_reorg', params: [Number(depth), []] } as never);
    return deposit.originTxHash;
  });
  await waitUntil('it is withdrawn', async () => (await user.status(originTxHash)) === null);
  return originTxHash;
}

/** A proxy that counts calls to a node. */
export interface CallCount {
  readonly url: string;
  /** Returns the number of calls of a method. */
  readonly of: (method: string) => number;
  /** Resolves after this many further calls of a method. */
  readonly more: (times: number, method: string) => Promise<void>;
}

/**
 * Starts a proxy that counts the calls to a chain. An active relayer calls `eth_blockNumber` in every round of the
 * pipeline, unless the chain is halted.
 */
export async function countCalls(environment: TestEnvironment, chain: 'ethereum' | 'partner'): Promise<CallCount> {
  const counts = new Map<string, number>();
  const of = (method: string) => counts.get(method) ?? 0;
  const url = await environment.proxyBefore(chain, {
    beforeNode: async (methods) => {
      for (const method of methods) counts.set(method, of(method) + 1);
      return true;
    },
  });
  return {
    url,
    of,
    more: async (times, method) => {
      const from = of(method);
      await waitUntil(`${method} is called ${times} times more`, () => Promise.resolve(of(method) >= from + times));
    },
  };
}

/** Connects the relayer through a proxy that kills it once, around the broadcast of its next delivery. */
export async function killAroundBroadcast(
  environment: TestEnvironment,
  chain: 'ethereum' | 'partner',
  when: 'beforeNode' | 'afterNode',
) {
  let killed = false;
  const hooks: RpcHooks = {
    [when]: async (methods: readonly string[]) => {
      if (killed || !methods.includes('eth_sendRawTransaction')) return true;
      killed = true;
      await environment.killRelayer();
      return false;
    },
  };
  const url = await environment.proxyBefore(chain, hooks);
  await environment.restartRelayer({ [chain === 'ethereum' ? 'ETHEREUM_RPC_URLS' : 'PARTNER_RPC_URLS']: url });
  return { killed: () => waitUntil('the relayer was killed', () => Promise.resolve(killed)) };
}

// Users' operations, as users see them.

/** Waits until an operation has ended, and returns it from the API. */
export async function ended(user: User, originTxHash: Hex): Promise<BridgeOperationResponse> {
  return waitUntil(`the operation of ${originTxHash} has ended`, async () => {
    const operation = await user.status(originTxHash);
    return operation !== null && isTerminal(operation.status) ? operation : null;
  });
}

/** Finds the transactions that paid a deposit. */
export async function findMints({ partner, book }: TestEnvironment, depositId: Hex): Promise<readonly Hex[]> {
  const mints = await partner.client.getContractEvents({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    eventName: 'Mint',
    args: { depositId },
    fromBlock: 0n,
  });
  return mints.map(({ transactionHash }) => transactionHash);
}

/** Finds the transactions that paid a withdrawal. */
export async function findReleases({ ethereum, book }: TestEnvironment, withdrawId: Hex): Promise<readonly Hex[]> {
  const releases = await ethereum.client.getContractEvents({
    address: book.ethereum.bridgeLock,
    abi: bridgeLockAbi,
    eventName: 'Release',
    args: { withdrawId },
    fromBlock: 0n,
  });
  return releases.map(({ transactionHash }) => transactionHash);
}

/** Reads the balance of an account on a chain, in atomic units. */
export async function readBalance(
  environment: TestEnvironment,
  side: Side,
  asset: 'ETH' | 'USDC' | 'XCN',
  owner: Address,
): Promise<bigint> {
  const { client } = environment[side];
  if (asset === (side === 'ethereum' ? 'ETH' : 'XCN')) return client.getBalance({ address: owner });
  const address = getToken(environment.book, side, asset);
  return client.readContract({ address, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [owner] });
}
