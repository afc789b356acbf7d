import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { openStore, type Store } from '@causeway/store';
import { anAddress, isLong, startAnvil, waitUntil, type Anvil } from '@causeway/test-kit';
import { connect, User } from '@causeway/testbed';
import { hexToBytes, numberToHex, type Hex } from 'viem';
import {
  ended,
  findReleases,
  readBalance,
  temporaryEnvironment,
  type TestEnvironment,
} from './temporary-environment.js';

const MILLION = parseAmount('USDC', '1000000');
const AMOUNT = parseAmount('USDC', '100');
/** A URL at which no node listens. */
const NO_NODE = 'http://127.0.0.1:9';
/** Runs only at night: tests of `packages/chain` cover the same node faults. */
const describeAtNight = isLong ? describe : describe.skip;

let environment: TestEnvironment;
let store: Store;
let alice: User;
/** Another URL of the honest chain, as the node of a second operator. */
let twin: string;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  alice = new User(environment, environment.accounts.alice);
  twin = await environment.proxyBefore('ethereum', {});
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

/** An anvil method that viem's types lack. */
interface AnvilDump {
  readonly Method: 'anvil_dumpState';
  readonly Parameters?: undefined;
  readonly ReturnType: Hex;
}

/** Starts a node that continues the chain with invented but consistent blocks. */
async function startLiar(): Promise<Anvil> {
  const state = await environment.ethereum.client.request<AnvilDump>({ method: 'anvil_dumpState' });
  const directory = mkdtempSync(join(tmpdir(), 'causeway-liar-'));
  const file = join(directory, 'state.json');
  writeFileSync(file, gunzipSync(hexToBytes(state)));
  try {
    return await startAnvil({ chainId: environment.stack.ethereum.chainId, args: ['--load-state', file] });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Deposits, waits until the operation has ended, and returns its status. */
async function depositEnds(): Promise<string> {
  const { originTxHash } = await alice.deposit('USDC', AMOUNT, alice.account.address);
  return (await ended(alice, originTxHash)).status;
}

const relayerLog = () => readFileSync(join(environment.stack.logs, 'relayer.log'), 'utf8');

describe('one of three nodes of Ethereum', () => {
  it('invents a deposit of 1,000,000 USDC in consistent blocks: it is not minted, and others are paid', async () => {
    const liar = await startLiar();
    try {
      const { stack, accounts } = environment;
      const itsChain = connect({ ...stack, ethereum: { ...stack.ethereum, rpcUrl: liar.url } });
      const mallory = new User(itsChain, accounts.bob);
      await mallory.deposit('USDC', MILLION, accounts.bob.address);
      await liar.test.mine({ blocks: 30 });
      await environment.restartRelayer({ ETHEREUM_RPC_URLS: [liar.url, stack.ethereum.rpcUrl, twin].join() });
      const honestDeposit = depositEnds();
      const isSetApart = () => relayerLog().includes('set apart');
      const bobsBalance = () => readBalance(environment, 'partner', 'USDC', accounts.bob.address);
      await waitUntil('the lie is detected or believed', async () => isSetApart() || (await bobsBalance()) > 0n);
      expect(await bobsBalance()).toBe(0n);
      expect(await honestDeposit).toBe('COMPLETED');
      expect(await depositEnds()).toBe('COMPLETED');
      const setApart = relayerLog()
        .split('\n')
        .filter((line) => line.includes('set apart'));
      expect(setApart).toEqual([expect.stringContaining(new URL(liar.url).host)]);
      expect(await bobsBalance()).toBe(0n);
      expect(await store.halts.list()).toEqual([]);
    } finally {
      await liar.stop();
    }
  });

  it('hides every log: the deposit is read from the other nodes', async () => {
    const hiding = await environment.proxyBefore('ethereum', {
      changeResult: (method, result) =>
        method === 'eth_getBlockReceipts' ? (result as object[]).map((receipt) => ({ ...receipt, logs: [] })) : result,
    });
    await environment.restartRelayer({ ETHEREUM_RPC_URLS: [hiding, environment.stack.ethereum.rpcUrl, twin].join() });
    expect(await depositEnds()).toBe('COMPLETED');
  });
});

describeAtNight('one of three nodes of Ethereum does not delay a deposit when it', () => {
  it('lags by 50 blocks', async () => {
    const head = await environment.ethereum.client.getBlockNumber({ cacheTime: 0 });
    if (head < 60n) await environment.ethereum.test.mine({ blocks: 60 });
    let newest = 0n;
    const lagging = await environment.proxyBefore('ethereum', {
      changeResult: (method, result, [block]) => {
        if (method === 'eth_blockNumber') return numberToHex((newest = BigInt(result as Hex) - 50n));
        return method === 'eth_getBlockByNumber' && BigInt(block as Hex) > newest ? null : result;
      },
    });
    await environment.restartRelayer({ ETHEREUM_RPC_URLS: [lagging, environment.stack.ethereum.rpcUrl, twin].join() });
    expect(await depositEnds()).toBe('COMPLETED');
  });

  it('accepts requests and never answers', async () => {
    const server: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const hanging = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await environment.restartRelayer({
        ETHEREUM_RPC_URLS: [hanging, environment.stack.ethereum.rpcUrl, twin].join(),
      });
      expect(await depositEnds()).toBe('COMPLETED');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('a start', () => {
  it('needs one of two nodes with a quorum of one', async () => {
    const ethereumRpcUrl = [NO_NODE, environment.stack.ethereum.rpcUrl].join();
    await environment.restartRelayer({ ETHEREUM_RPC_URLS: ethereumRpcUrl, ETHEREUM_QUORUM: '1' });
    expect(await depositEnds()).toBe('COMPLETED');
  });

  it('reads Ethereum while the partner chain is unavailable, and pays once it returns', async () => {
    const { chainId } = environment.stack.ethereum;
    await environment.restartRelayer({ PARTNER_RPC_URLS: NO_NODE });
    const { originTxHash } = await alice.deposit('USDC', AMOUNT, alice.account.address);
    // A delivery without any node is delayed immediately.
    await waitUntil('the deposit is final', async () => {
      const status = (await alice.status(originTxHash))?.status;
      return status === 'AWAITING_RELAY' || status === 'DELAYED';
    });
    expect((await store.scan.cursor(chainId))?.nextBlock).toBeGreaterThan(0n);
    await environment.restartRelayer();
    await waitUntil('it is paid', async () => (await alice.status(originTxHash))?.status === 'COMPLETED');
  });
});

describe('a delivery that no block takes', () => {
  it('is replaced with the same nonce only once the market is above its fees, and paid once', async () => {
    const { ethereum, book } = environment;
    expect(await depositEnds()).toBe('COMPLETED');
    const destination = anAddress();
    let stopped = false;
    const ethereumRpcUrl = await environment.proxyBefore('ethereum', {
      beforeNode: async (methods) => {
        if (!stopped && methods.includes('eth_sendRawTransaction')) {
          stopped = true;
          await ethereum.test.setIntervalMining({ interval: 0 });
        }
        return true;
      },
    });
    await environment.restartRelayer({ ETHEREUM_RPC_URLS: ethereumRpcUrl, REPLACE_AFTER_MS: '2000' });
    const { originTxHash } = await alice.burn('USDC', AMOUNT, destination, AMOUNT);
    const sentAs = async () => (await alice.status(originTxHash))?.destinationTxHash ?? null;
    let [first, second]: (Hex | null)[] = [null, null];
    try {
      await waitUntil('it is sent', async () => (await sentAs()) !== null);
      first = await sentAs();
      // Longer than REPLACE_AFTER_MS: age alone does not raise a fee.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      expect(await sentAs()).toBe(first);
      const { maxFeePerGas = 0n } = await ethereum.client.getTransaction({ hash: first! });
      await ethereum.test.setNextBlockBaseFeePerGas({ baseFeePerGas: 2n * maxFeePerGas });
      await ethereum.test.mine({ blocks: 1 });
      await waitUntil('it is replaced', async () => (await sentAs()) !== first);
      second = await sentAs();
    } finally {
      await ethereum.test.setIntervalMining({ interval: 1 });
    }
    const operation = await ended(alice, originTxHash);
    expect(operation.status).toBe('COMPLETED');
    expect(operation.settlement?.txHash).toBe(second);
    const replaced = await ethereum.client.getTransaction({ hash: second! });
    expect(await ethereum.client.getTransactionReceipt({ hash: first! }).catch(() => null)).toBeNull();
    expect(replaced.nonce).toBe((await ethereum.client.getTransactionCount({ address: book.relayer })) - 1);
    expect(await findReleases(environment, operation.id)).toHaveLength(1);
    expect(await readBalance(environment, 'ethereum', 'USDC', destination)).toBe(BigInt(operation.outputAmount));
  });
});
