import type { Question } from './question.js';

const QUANTITY = /^0x[0-9a-fA-F]+$/;
const HEX = /^0x[0-9a-fA-F]*$/;

type Check = (question: Question, result: unknown) => boolean;

const isQuantity: Check = (_, result) => matches(result, QUANTITY);
const isBytes: Check = (_, result) => typeof result === 'string' && result.length % 2 === 0 && HEX.test(result);
const isListOrNull: Check = (_, result) => result === null || Array.isArray(result);
/** Null, or an object that names the hash that was asked for. */
const names =
  (field: string): Check =>
  ({ params }, result) =>
    result === null || same(fieldOf(result, field), params?.[0]);

const CHECKS: ReadonlyMap<string, Check> = new Map(
  Object.entries<Check>({
    eth_blockNumber: isQuantity,
    eth_gasPrice: isQuantity,
    eth_maxPriorityFeePerGas: isQuantity,
    eth_getBalance: isQuantity,
    eth_getTransactionCount: isQuantity,
    eth_estimateGas: isQuantity,
    eth_call: isBytes,
    eth_getCode: isBytes,
    eth_getStorageAt: isBytes,
    eth_getLogs: (_, result) => Array.isArray(result),
    eth_getBlockReceipts: isListOrNull,
    eth_getBlockByHash: names('hash'),
    eth_getTransactionByHash: names('hash'),
    eth_getTransactionReceipt: names('transactionHash'),
    eth_getBlockByNumber: ({ params }, result) => {
      const block = params?.[0];
      if (result === null || typeof block !== 'string' || !block.startsWith('0x')) return isObjectOrNull(result);
      const number = fieldOf(result, 'number');
      return typeof number === 'string' && Number(number) === Number(block);
    },
  }),
);

/** Whether the answers to a method are hex, and nothing else passes for one. */
export function isAnsweredInHex(method: string): boolean {
  const check = CHECKS.get(method);
  return check === isQuantity || check === isBytes;
}

/**
 * Whether an answer can be one to the question: the block asked for by number has that number, a transaction asked for by hash has that hash,
 * a balance is a quantity. Only what costs nothing is looked at; a node that lies well is not found out here.
 */
export function checkAnswer(question: Question, result: unknown): boolean {
  return CHECKS.get(question.method)?.(question, result) ?? true;
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}

function isObjectOrNull(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

function same(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && a.toLowerCase() === b.toLowerCase();
}
