import { createClient, hexToBigInt, http, numberToHex, type Address, type Hex } from 'viem';
import type { Bridge } from '../bridge.js';
import { WalletFailedError } from '../errors.js';
import type { Wallet } from './wallet.js';

/** A log in JSON-RPC form. */
export interface NodeLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly transactionHash: Hex;
}

/** A receipt in JSON-RPC form. */
export interface NodeReceipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
  readonly logs: readonly NodeLog[];
}

/** A transaction in JSON-RPC form. */
export interface NodeTransaction {
  readonly from: Address;
  readonly to: Address | null;
  readonly value: Hex;
  readonly nonce: Hex;
}

/** The node of a wallet. */
type Node = Pick<Wallet, 'request'>;

/** Returns the caller's trusted node of the partner chain; undefined if there is none. */
export function openTrustedNode({ partnerRpcUrl, timeoutMs, fetch: fetchFn }: Bridge): Node | undefined {
  if (partnerRpcUrl === undefined) return undefined;
  const client = createClient({ transport: http(partnerRpcUrl, { timeout: timeoutMs, fetchFn }) });
  const request = client.request as (call: { method: string; params?: unknown }) => Promise<unknown>;
  return { request: async (method, params = []) => request({ method, params }) };
}

/**
 * Makes a JSON-RPC request that opens no window.
 *
 * @throws WalletFailedError
 */
export async function askNode(wallet: Node, method: string, params?: readonly unknown[]): Promise<unknown> {
  try {
    return await wallet.request(method, params);
  } catch (error) {
    throw new WalletFailedError(method, error);
  }
}

/** Reads the receipt of a transaction; null while it is not mined. */
export async function readReceipt(wallet: Wallet, hash: Hex): Promise<NodeReceipt | null> {
  return (await askNode(wallet, 'eth_getTransactionReceipt', [hash])) as NodeReceipt | null;
}

/** Reads a transaction; null if the node does not have it. */
export async function readTransaction(wallet: Wallet, hash: Hex): Promise<NodeTransaction | null> {
  return (await askNode(wallet, 'eth_getTransactionByHash', [hash])) as NodeTransaction | null;
}

/** Reads the account's nonce, optionally with pending transactions. */
export async function readNonce(wallet: Wallet, tag: 'latest' | 'pending'): Promise<number> {
  return Number(await askNode(wallet, 'eth_getTransactionCount', [wallet.account, tag]));
}

/** Reads the newest block. `baseFeePerGas` is absent on chains without a base fee. */
export async function readNewestBlock(
  wallet: Wallet,
): Promise<{ readonly number: bigint; readonly timestamp: bigint }> {
  const block = (await askNode(wallet, 'eth_getBlockByNumber', ['latest', false])) as { number: Hex; timestamp: Hex };
  return { number: hexToBigInt(block.number), timestamp: hexToBigInt(block.timestamp) };
}

/** Reads the result of a call at the newest block. */
export async function readCall(wallet: Node, to: Address, data: Hex): Promise<Hex> {
  return (await askNode(wallet, 'eth_call', [{ to, data }, 'latest'])) as Hex;
}

/** Reads the logs of a contract in a range of blocks. Nodes limit its length. */
export async function readLogs(
  wallet: Wallet,
  filter: { readonly address: Address; readonly topics: readonly (Hex | null)[] },
  fromBlock: bigint,
  toBlock: bigint | 'latest',
): Promise<readonly NodeLog[]> {
  const to = toBlock === 'latest' ? toBlock : numberToHex(toBlock);
  const request = { ...filter, fromBlock: numberToHex(fromBlock), toBlock: to };
  return (await askNode(wallet, 'eth_getLogs', [request])) as readonly NodeLog[];
}
