import { fromRlp, type Hex } from 'viem';
import { SCALE } from './replay.ts';

/** A JSON-RPC response. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A place where our response differs from the suite's. */
export interface Difference {
  /** Keys and positions, joined by dots. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Fields with amounts in wei, in requests, state and block overrides, and responses. */
const AMOUNTS = new Set(
  'value balance gasPrice maxFeePerGas maxPriorityFeePerGas baseFeePerGas effectiveGasPrice result data'.split(' '),
);
/** Methods whose requests contain amounts. */
const WITH_AMOUNTS = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_simulateV1']);
const MAX_AMOUNT = 2n ** 256n - 1n;
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/;

/** Translates a request of the suite for our chain: scales amounts, and replaces block hashes with ours. */
export function translateRequest(method: string, params: unknown, hashes: ReadonlyMap<Hex, Hex>): unknown {
  return mapLeaves(params, (value, key) => {
    if (typeof value !== 'string') return value;
    const isAmount = WITH_AMOUNTS.has(method) && AMOUNTS.has(key) && key !== 'data' && QUANTITY.test(value);
    return isAmount ? scale(value) : (hashes.get(value as Hex) ?? value);
  });
}

/** Translates our response to the suite's block hashes. */
export function translateAnswer(answer: Answer, hashes: ReadonlyMap<Hex, Hex>): Answer {
  const back = new Map([...hashes].map(([theirs, ours]) => [ours, theirs]));
  return mapLeaves(answer, (value) => back.get(value as Hex) ?? value) as Answer;
}

/** Lists all differences of two responses. A result instead of an error, or the reverse, is one difference. */
export function compareAnswers(expected: Answer, actual: Answer): Difference[] {
  if ((expected.error === undefined) === (actual.error === undefined)) return listDifferences(expected, actual);
  return [{ path: 'error', expected: expected.error, actual: actual.error }];
}

/** Lists all differing leaves. An amount can be the suite's or the scaled one. */
function listDifferences(expected: unknown, actual: unknown, path = ''): Difference[] {
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) =>
      listDifferences(expected[key], actual[key], path === '' ? key : `${path}.${key}`),
    );
  }
  const key = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
  return isSame(expected, actual, key) ? [] : [{ path, expected, actual }];
}

/** Lists the differences of shape: fields that only one side has, and types of values. */
export function compareShapes(expected: Answer, actual: Answer): Difference[] {
  return compareAnswers(expected, actual).filter((difference) => {
    const [a, b] = [difference.expected, difference.actual];
    return (
      (a === undefined || b === undefined || typeof a !== typeof b) &&
      !/^result\.(?:pending|queued)\./.test(difference.path)
    );
  });
}

function isSame(expected: unknown, actual: unknown, key: string): boolean {
  if (typeof expected !== 'string' || typeof actual !== 'string') return expected === actual;
  const [a, b] = [expected.toLowerCase(), actual.toLowerCase()];
  if (a === b) return true;
  return (
    AMOUNTS.has(key) && /^0x[0-9a-f]{1,64}$/.test(a) && /^0x[0-9a-f]{1,64}$/.test(b) && BigInt(scale(a)) === BigInt(b)
  );
}

/** Scales an amount. The result is capped at the largest multiple of SCALE. */
function scale(amount: string): Hex {
  const scaled = BigInt(amount) * SCALE;
  return `0x${(scaled > MAX_AMOUNT ? MAX_AMOUNT - (MAX_AMOUNT % SCALE) : scaled).toString(16)}`;
}

function mapLeaves(value: unknown, map: (leaf: unknown, key: string) => unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, map, key));
  if (!isObject(value)) return map(value, key);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapLeaves(item, map, name)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Splits encoded headers, blocks and receipts into fields, and reduces traces to the part that both sides have. */
export function splitAnswer(method: string, answer: Answer): Answer {
  const { result, ...rest } = answer;
  const split = {
    debug_getRawHeader: (item: unknown) => toHeader(fromRlp(item as Hex, 'hex') as RlpItem[]),
    debug_getRawBlock: (item: unknown) => {
      const [header, transactions, uncles, withdrawals = []] = fromRlp(item as Hex, 'hex') as RlpItem[][];
      return { ...toHeader(header ?? []), transactions, uncles, withdrawals };
    },
    debug_getRawReceipts: (list: unknown) => (list as Hex[]).map(toReceipt),
  }[method];
  if (result === undefined || result === null) return answer;
  if (split !== undefined) return { ...rest, result: split(result) };
  return method.startsWith('debug_trace') ? { ...rest, result: mapTraces(result) } : answer;
}

type RlpItem = Hex | RlpItem[];

const HEADER_FIELDS = (
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed ' +
  'timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot ' +
  'requestsHash'
).split(' ');

function toHeader(items: readonly RlpItem[]): Record<string, unknown> {
  return Object.fromEntries(items.map((item, index) => [HEADER_FIELDS[index], item === '0x' ? '0x0' : item]));
}

function toReceipt(encoded: Hex): Record<string, unknown> {
  const isTyped = BigInt(encoded.slice(0, 4)) < 0xc0n;
  const items = fromRlp(isTyped ? `0x${encoded.slice(4)}` : encoded, 'hex') as RlpItem[];
  const [status, cumulativeGasUsed, logsBloom, logs] = items;
  return {
    type: isTyped ? encoded.slice(0, 4) : '0x0',
    status,
    cumulativeGasUsed,
    logsBloom,
    logs: JSON.stringify(logs),
  };
}

/** Converts call frames to the form of geth's opcode traces, without the opcodes. */
function mapTraces(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(mapTraces);
  const trace = result as { result?: unknown; gasUsed?: Hex; error?: string; output?: Hex };
  if (trace.result !== undefined) return { ...trace, result: mapTraces(trace.result) };
  if (trace.gasUsed === undefined) return result;
  return { gas: Number(trace.gasUsed), failed: trace.error !== undefined, returnValue: trace.output ?? '0x' };
}
