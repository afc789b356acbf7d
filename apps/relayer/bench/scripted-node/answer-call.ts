import { numberToHex, type Hex } from 'viem';
import type { LogChoice, ScriptedChain } from './scripted-chain.ts';
import { BRIDGE_LOCK, CHAIN_ID, DEPOSIT_TOPIC } from './scripts.ts';

/** Results of one request of logs: the limit of Infura, Alchemy and others. */
const MAX_LOGS = 10_000;
/** Depths of the tags, as mainnet has them without delays. */
const SAFE_DEPTH = 32;
const FINALIZED_DEPTH = 64;

/** A call of JSON-RPC. */
export interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface LogFilter {
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
}

/** The node refuses a call. */
class RefusedError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers a call: the parts of its JSON, in order. */
export function answerCall(chain: ScriptedChain, call: Call): (Buffer | string)[] {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(call.id ?? null)},`;
  try {
    return [`${start}"result":`, ...encodeResult(chain, call), '}'];
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return [`${start}"error":${JSON.stringify({ code: error.code, message: error.message })}}`];
  }
}

function encodeResult(chain: ScriptedChain, { method, params = [] }: Call): (Buffer | string)[] {
  const [first, second] = params;
  switch (method) {
    case 'eth_chainId':
      return [quantity(CHAIN_ID)];
    case 'net_version':
      return [`"${CHAIN_ID}"`];
    case 'web3_clientVersion':
      return ['"scripted/1.0"'];
    case 'eth_syncing':
      return ['false'];
    case 'eth_blockNumber':
      return [quantity(chain.head)];
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return atBlock(chain, first, (number) => chain.block(number, second === true));
    case 'eth_getBlockReceipts':
      return atBlock(chain, first, (number) => chain.receipts(number));
    case 'eth_getTransactionByHash':
      return [JSON.stringify(chain.transaction(String(first) as Hex, 'transaction'))];
    case 'eth_getTransactionReceipt':
      return [JSON.stringify(chain.transaction(String(first) as Hex, 'receipt'))];
    case 'eth_getLogs':
      return logs(chain, first as LogFilter);
    // Every view of the contract is its counter of deposits.
    case 'eth_call':
      return atBlock(chain, second, (number) => `"${numberToHex(chain.depositsAt(number), { size: 32 })}"`);
    case 'eth_getBalance':
    case 'eth_getTransactionCount':
      return atBlock(chain, second, () => '"0x0"');
    case 'eth_getCode':
      return ['"0x00"'];
    default:
      throw new RefusedError(-32601, `the method ${method} does not exist/is not available`);
  }
}

function atBlock(chain: ScriptedChain, block: unknown, answer: (number: number) => Buffer | string) {
  const number = blockNumber(chain, block);
  return [number === null || number > chain.head ? 'null' : answer(number)];
}

/** A number, a tag, a hash, or an object of EIP-1898; null for an unknown hash. */
function blockNumber(chain: ScriptedChain, block: unknown): number | null {
  if (typeof block === 'object' && block !== null) {
    const { blockNumber: number, blockHash } = block as { blockNumber?: unknown; blockHash?: unknown };
    return blockNumber(chain, blockHash ?? number);
  }
  if (block === undefined || block === 'latest' || block === 'pending') return chain.head;
  if (block === 'safe') return chain.head - SAFE_DEPTH;
  if (block === 'finalized') return chain.head - FINALIZED_DEPTH;
  if (block === 'earliest') return 0;
  if (typeof block !== 'string' || !block.startsWith('0x')) throw new RefusedError(-32602, 'invalid block');
  return block.length === 66 ? chain.findNumber(block) : Number(block);
}

function logs(chain: ScriptedChain, filter: LogFilter): (Buffer | string)[] {
  const choice = toLogChoice(filter);
  const from = blockNumber(chain, filter.blockHash ?? filter.fromBlock);
  const to = blockNumber(chain, filter.blockHash ?? filter.toBlock);
  if (from === null || to === null) throw new RefusedError(-32000, 'unknown block');
  if (from > to || to > chain.head) throw new RefusedError(-32000, 'invalid block range params');
  if (choice === null) return ['[]'];
  const { parts, count } = chain.logs(from, to, choice);
  if (count > MAX_LOGS) throw tooManyLogs(chain, choice, from);
  return ['[', ...parts.flatMap((part, index) => (index === 0 ? [part] : [',', part])), ']'];
}

/** Infura's words, which indexers read the next range from. */
function tooManyLogs(chain: ScriptedChain, choice: LogChoice, from: number): RefusedError {
  let to = from;
  for (let count = 0; ; to++) {
    count += chain.logs(to, to, choice).count;
    if (count > MAX_LOGS) break;
  }
  const last = Math.max(from, to - 1);
  return new RefusedError(
    -32005,
    `query returned more than ${MAX_LOGS} results. Try with this block range [${hex(from)}, ${hex(last)}].`,
  );
}

/**
 * The filters that the contestants send: all logs, deposits of the bridge, or tokens for the relayer wallet, which the
 * scripts do not have. Null: nothing matches.
 */
function toLogChoice({ address, topics = [] }: LogFilter): LogChoice | null {
  const addresses = typeof address === 'string' ? [address] : address;
  const [first, second, third] = topics;
  if (third !== undefined && third !== null) return null;
  if (second !== undefined && second !== null) throw new RefusedError(-32602, 'the second topic is not supported');
  const isAnyTopic = first === undefined || first === null || first.length === 0;
  if (addresses === undefined || addresses.length === 0) {
    if (isAnyTopic) return 'all';
    throw new RefusedError(-32602, 'topics without an address are not supported');
  }
  const firstTopics = isAnyTopic ? [DEPOSIT_TOPIC] : [first].flat();
  const isBridge = addresses.some((each) => each.toLowerCase() === BRIDGE_LOCK);
  return isBridge && firstTopics.some((topic) => topic.toLowerCase() === DEPOSIT_TOPIC) ? 'deposits' : null;
}

function quantity(value: number): string {
  return `"${hex(value)}"`;
}

function hex(value: number): Hex {
  return numberToHex(value);
}
