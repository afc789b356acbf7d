import { createClient, http, isAddress, numberToHex, type Address, type Hex } from 'viem';
import type { Bridge } from '../bridge.js';
import { walkCauses } from '../causes.js';
import { CausewayError, WalletFailedError } from '../errors.js';
import { waitUnlessAborted } from '../pause.js';
import { readInTime, type ReadOptions } from '../read.js';
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
  readonly input: Hex;
  readonly value: Hex;
  readonly nonce: Hex;
}

/** The node of a wallet. */
type Node = Pick<Wallet, 'request'>;

/** Methods that open a window of the wallet, and have no time-out. */
const WINDOWS: ReadonlySet<string> = new Set([
  'wallet_sendCalls',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
]);
/** Reads without a repetition: a refused search continues with a shorter range, and preparing can consume a nonce. */
const ONCE: ReadonlySet<string> = new Set(['eth_getLogs', 'prepareTransaction']);
/** Codes of a busy or unreachable node: HTTP, EIP-1474, QuickNode, ethers. */
const BUSY: ReadonlySet<unknown> = new Set([429, -32_005, -32_007, 'NETWORK_ERROR', 'SERVER_ERROR', 'TIMEOUT']);
/** Errors of viem for a node that is busy or unreachable. */
const UNREACHED: ReadonlySet<unknown> = new Set(['HttpRequestError', 'TimeoutError']);

/** Returns the caller's trusted node of the partner chain; undefined if there is none. */
export function openTrustedNode(bridge: Bridge, options: ReadOptions): Node | undefined {
  const { partnerRpcUrl, timeoutMs, fetch: fetchFn } = bridge;
  if (partnerRpcUrl === undefined) return undefined;
  const client = createClient({ transport: http(partnerRpcUrl, { timeout: timeoutMs, fetchFn, retryCount: 0 }) });
  const request = client.request as (call: { method: string; params?: unknown }) => Promise<unknown>;
  return limitRequests({ request: async (method, params = []) => request({ method, params }) }, bridge, options);
}

/**
 * Returns the wallet with a time-out and a signal for each read. A read that a busy node refuses is repeated. Methods
 * that open a window are unchanged.
 *
 * @throws WalletFailedError of a read, which names its method; the reason of the signal.
 */
export function limitReads(wallet: Wallet, bridge: Pick<Bridge, 'timeoutMs'>, options: ReadOptions): Wallet {
  const { keepsNonce, paysInUnits } = wallet;
  const prepareTransaction = wallet.prepareTransaction?.bind(wallet);
  return {
    ...limitRequests(wallet, bridge, options),
    get account() {
      return wallet.account;
    },
    keepsNonce,
    ...(paysInUnits === undefined ? {} : { paysInUnits }),
    ...(prepareTransaction === undefined
      ? {}
      : {
          prepareTransaction: async (transaction) =>
            readNode('prepareTransaction', async () => prepareTransaction(transaction), bridge, options),
        }),
    sendTransaction: async (transaction) => wallet.sendTransaction(transaction),
    signTypedData: async (typedData) => wallet.signTypedData(typedData),
  };
}

function limitRequests(node: Node, bridge: Pick<Bridge, 'timeoutMs'>, options: ReadOptions): Node {
  return {
    request: async (method, params) => {
      const ask = async () => node.request(method, params);
      return WINDOWS.has(method) ? ask() : readNode(method, ask, bridge, options);
    },
  };
}

async function readNode<T>(
  request: string,
  ask: () => Promise<T>,
  { timeoutMs }: Pick<Bridge, 'timeoutMs'>,
  options: ReadOptions,
): Promise<T> {
  const attempt = async (signal: AbortSignal) => waitUnlessAborted(signal, ask());
  const judge = (cause: unknown) =>
    cause instanceof CausewayError
      ? { error: cause, isTransient: false }
      : { error: new WalletFailedError(request, cause), isTransient: isTransient(cause) };
  const attempts = ONCE.has(request) ? 1 : undefined;
  return readInTime({ request, timeoutMs, attempts, attempt, judge }, options);
}

/** Returns whether a node may answer the same read later. */
function isTransient(error: unknown): boolean {
  for (const { code, name } of walkCauses(error)) if (BUSY.has(code) || UNREACHED.has(name)) return true;
  return false;
}

/**
 * Makes a JSON-RPC request that opens no window.
 *
 * @param isValid checks the form of the answer.
 * @throws WalletFailedError for a malformed answer, and as {@link limitReads}.
 */
export async function askNode(
  wallet: Node,
  method: string,
  params?: readonly unknown[],
  isValid: (answer: unknown) => boolean = () => true,
): Promise<unknown> {
  const answer = await wallet.request(method, params);
  if (isValid(answer)) return answer;
  throw new WalletFailedError(method, new Error(`malformed answer: ${JSON.stringify(answer)}`));
}

/** Returns whether an answer is a number of JSON-RPC. */
export function isQuantity(answer: unknown): boolean {
  return typeof answer === 'string' && /^0x[\da-f]{1,64}$/i.test(answer);
}

function hasQuantities(answer: unknown, ...names: readonly string[]): boolean {
  const fields = Object(answer) as Readonly<Record<string, unknown>>;
  return names.every((name) => isQuantity(fields[name]));
}

/** Reads the id of the wallet's chain. */
export async function readChainId(wallet: Node): Promise<number> {
  return Number(await askNode(wallet, 'eth_chainId', [], isQuantity));
}

/** Reads the receipt of a transaction; null while it is not mined. */
export async function readReceipt(wallet: Wallet, hash: Hex): Promise<NodeReceipt | null> {
  const isReceipt = (answer: unknown) =>
    answer === null ||
    (hasQuantities(answer, 'status', 'blockNumber') && Array.isArray((answer as Partial<NodeReceipt>).logs));
  return (await askNode(wallet, 'eth_getTransactionReceipt', [hash], isReceipt)) as NodeReceipt | null;
}

/** Reads a transaction; null if the node does not have it. */
export async function readTransaction(wallet: Wallet, hash: Hex): Promise<NodeTransaction | null> {
  const isTransaction = (answer: unknown) =>
    answer === null ||
    (hasQuantities(answer, 'nonce') &&
      typeof (answer as Partial<NodeTransaction>).input === 'string' &&
      isAddress(String((answer as Partial<NodeTransaction>).from), { strict: false }));
  return (await askNode(wallet, 'eth_getTransactionByHash', [hash], isTransaction)) as NodeTransaction | null;
}

/** Reads the account's nonce, optionally with pending transactions. */
export async function readNonce(wallet: Wallet, tag: 'latest' | 'pending'): Promise<number> {
  return Number(await askNode(wallet, 'eth_getTransactionCount', [wallet.account, tag], isQuantity));
}

/** The newest block of the wallet's node. */
export interface NewestBlock {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  /** In wei; 0 on chains without a base fee. */
  readonly baseFee: bigint;
}

/** Reads the newest block. */
export async function readNewestBlock(wallet: Wallet): Promise<NewestBlock> {
  const isBlock = (answer: unknown) => hasQuantities({ baseFeePerGas: '0x0', ...Object(answer) }, ...BLOCK_FIELDS);
  const block = await askNode(wallet, 'eth_getBlockByNumber', ['latest', false], isBlock);
  const { number, timestamp, baseFeePerGas = '0x0' } = block as { number: Hex; timestamp: Hex; baseFeePerGas?: Hex };
  return { number: BigInt(number), timestamp: BigInt(timestamp), baseFee: BigInt(baseFeePerGas) };
}

const BLOCK_FIELDS = ['number', 'timestamp', 'baseFeePerGas'];

/** Reads the result of a call at the newest block. */
export async function readCall(wallet: Node, to: Address, data: Hex): Promise<Hex> {
  const isResult = (answer: unknown) => /^0x([\da-f]{64})+$/i.test(String(answer));
  return (await askNode(wallet, 'eth_call', [{ to, data }, 'latest'], isResult)) as Hex;
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
  return (await askNode(wallet, 'eth_getLogs', [request], Array.isArray)) as readonly NodeLog[];
}
