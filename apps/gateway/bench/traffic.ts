import { once } from 'node:events';
import { testAccount, waitUntil } from '@causeway/test-kit';
import { Pool } from 'undici';
import { encodeFunctionData, toHex, type Hex } from 'viem';
import { WebSocket } from 'ws';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { rpc } from '../test/setup/rpc.ts';

/** The chain id of every measured chain. */
export const CHAIN_ID = 8901;

/** Accounts with coins on anvil and on the development chain; the last one deploys the token. */
const SENDERS = Array.from({ length: 9 }, (_, index) => testAccount(index));

/** Deploys a token with the last account, in the same way on every chain. @returns its address. */
export async function deployToken(url: string): Promise<Hex> {
  const account = testAccount(9);
  const nonce = Number(await rpc(url, 'eth_getTransactionCount', [account.address, 'latest']));
  const raw = await account.signTransaction({
    data: testUsdcBytecode,
    nonce,
    chainId: CHAIN_ID,
    gas: 3_000_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  const hash = await rpc(url, 'eth_sendRawTransaction', [raw]);
  const receipt = await waitUntil('the token is deployed', () => rpc(url, 'eth_getTransactionReceipt', [hash]));
  return (receipt as { contractAddress: Hex }).contractAddress;
}

const VARIETY = 500;
const BATCH = 100;
const BATCHES = 50;

/** Bodies of reads. The calls differ from each other, like those of many users. */
export interface ReadBodies {
  readonly blockNumber: readonly string[];
  readonly call: readonly string[];
  /** A hundred eth_call each, like a wallet that shows its tokens. */
  readonly batchOfCalls: readonly string[];
  /** A hundred calls each, a quarter of each kind; three kinds cost a node almost nothing. */
  readonly mixedBatch: readonly string[];
}

/** @param token an ERC-20 token. */
export function readBodies(token: Hex): ReadBodies {
  const address = (index: number) => toHex(index + 1, { size: 20 });
  const encodeBalanceOf = (index: number) =>
    encodeFunctionData({ abi: testUsdcAbi, functionName: 'balanceOf', args: [address(index)] });
  const body = (id: number, method: string, params: readonly unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const call = (index: number) => body(index, 'eth_call', [{ to: token, data: encodeBalanceOf(index) }, 'latest']);
  const kinds = [
    call,
    (index: number) => body(index, 'eth_blockNumber', []),
    (index: number) => body(index, 'eth_getBalance', [address(index), 'latest']),
    (index: number) => body(index, 'eth_getTransactionCount', [address(index), 'latest']),
  ];
  const indexes = Array.from({ length: VARIETY }, (_, index) => index);
  const makeBatch = (kind: (index: number) => string) => (first: number) =>
    `[${Array.from({ length: BATCH }, (_, index) => kind(first * BATCH + index)).join(',')}]`;
  const mixed = (index: number) => kinds[index % kinds.length]?.(index) ?? call(index);
  return {
    blockNumber: indexes.map((index) => body(index, 'eth_blockNumber', [])),
    call: indexes.map(call),
    batchOfCalls: indexes.slice(0, BATCHES).map(makeBatch(call)),
    mixedBatch: indexes.slice(0, BATCHES).map(makeBatch(mixed)),
  };
}

/** One unit of the chain, whose amounts have 8 decimals. */
const UNIT_WEI = 10_000_000_000n;

/**
 * Signs transfers from every account to the next one.
 *
 * @param first the first nonce of each account.
 * @returns the transfers of each account in the order of their nonces.
 */
export function signTransfers(first: number, count: number): Promise<Hex[][]> {
  return Promise.all(
    SENDERS.map((account, index) =>
      Promise.all(
        Array.from({ length: count }, (_, step) =>
          account.signTransaction({
            to: SENDERS[(index + 1) % SENDERS.length]?.address ?? account.address,
            value: UNIT_WEI,
            nonce: first + step,
            gas: 21_000n,
            maxFeePerGas: 100_000_000_000n,
            maxPriorityFeePerGas: 1_000_000_000n,
            chainId: CHAIN_ID,
          }),
        ),
      ),
    ),
  );
}

const TRANSFER_BATCH = 20;
const TIMEOUT_MS = 120_000;

/**
 * Sends transfers and waits until the last one is in a block.
 *
 * @param transfers the transfers of each account, from its next nonce on.
 * @returns transfers per second, from the first sent to the last mined.
 * @throws Error if one is refused or not mined.
 */
export async function timeTransfers(
  url: string,
  transfers: readonly (readonly Hex[])[],
  last: number,
): Promise<number> {
  const pool = new Pool(new URL(url).origin, { connections: transfers.length });
  const startedAt = performance.now();
  await Promise.all(transfers.map((raws) => sendInOrder(pool, raws)));
  await Promise.all(transfers.map((_, index) => untilMined(url, SENDERS[index]?.address ?? '0x', last)));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return transfers.reduce((sum, { length }) => sum + length, 0) / seconds;
}

async function sendInOrder(pool: Pool, raws: readonly Hex[]): Promise<void> {
  for (let first = 0; first < raws.length; first += TRANSFER_BATCH) {
    const calls = raws
      .slice(first, first + TRANSFER_BATCH)
      .map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }));
    const { body } = await pool.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    });
    const text = await body.text();
    if (text.includes('"error"')) throw new Error(`a transfer was refused: ${text.slice(0, 300)}`);
  }
}

async function untilMined(url: string, address: Hex, nonce: number): Promise<void> {
  const isMined = async () => Number(await rpc(url, 'eth_getTransactionCount', [address, 'latest'])) >= nonce;
  await waitUntil(`the transfers of ${address} are mined`, isMined, { timeoutMs: TIMEOUT_MS, intervalMs: 10 });
}

/** A client with all kinds of subscriptions. */
export interface Subscriber {
  /** The number of notifications so far. */
  readonly received: () => number;
  readonly close: () => void;
}

const SUBSCRIPTIONS = [['newHeads'], ['logs', {}], ['newPendingTransactions'], ['syncing']];

/** @param url the gateway's WebSocket address. */
export async function subscribe(url: string): Promise<Subscriber> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let received = 0;
  socket.on('message', () => received++);
  for (const [id, params] of SUBSCRIPTIONS.entries()) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }));
  }
  return { received: () => received, close: () => socket.close() };
}
