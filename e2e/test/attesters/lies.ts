import { RpcRefusal } from '@causeway/test-kit';
import { numberToHex, toFunctionSelector, type Hex } from 'viem';

/** Changes the result of a call, or throws a refusal. */
export type Lie = (method: string, result: unknown, parameters: readonly unknown[]) => unknown;

const FEE_POLICY = toFunctionSelector('feePolicy(address)');
const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** Changes every string of an answer. */
function replaceText(answer: unknown, replace: (text: string) => string): unknown {
  return JSON.parse(
    JSON.stringify(answer ?? null, (_, value: unknown) => (typeof value === 'string' ? replace(value) : value)),
  );
}

function withField(result: unknown, name: string, value: string): unknown {
  return typeof result === 'object' && result !== null && name in result ? { ...result, [name]: value } : result;
}

/** The forged terms that lies support. */
export interface ForgedTerms {
  /** Amount of a deposit, and the thief's amount instead. */
  readonly amount: bigint;
  readonly forgedAmount: bigint;
  /** Fee of native XCN. */
  readonly forgedFee: bigint;
}

/** The lies of a node, by name. */
export function listLies({ amount, forgedAmount, forgedFee }: ForgedTerms): ReadonlyMap<string, Lie> {
  return new Map<string, Lie>([
    [
      'another amount in every log and receipt',
      (_, result) => replaceText(result, (text) => text.replaceAll(word(amount), word(forgedAmount))),
    ],
    ['no logs', (method, result) => (method === 'eth_getLogs' ? [] : result)],
    [
      'receipts without logs',
      (method, result) =>
        method === 'eth_getBlockReceipts' ? (result as object[]).map((receipt) => ({ ...receipt, logs: [] })) : result,
    ],
    ['nothing is used up', (method, result) => (method === 'eth_call' ? `0x${word(0n)}` : result)],
    ['everything is used up', (method, result) => (method === 'eth_call' ? `0x${word(1n)}` : result)],
    [
      'another fee policy',
      (method, result, [call]) =>
        method === 'eth_call' && JSON.stringify(call).includes(FEE_POLICY.slice(2))
          ? `0x${word(0n)}${word(forgedFee)}${word(1n)}`
          : result,
    ],
    ['a head to come', (method, result) => (method === 'eth_blockNumber' ? '0xffffff' : result)],
    [
      'a head of long ago',
      (method, result) => (method === 'eth_blockNumber' ? numberToHex(BigInt(result as Hex) / 2n) : result),
    ],
    ['another hash of every block', (_, result) => withField(result, 'hash', `0x${'11'.repeat(32)}`)],
    ['another root of receipts', (_, result) => withField(result, 'receiptsRoot', `0x${'22'.repeat(32)}`)],
    ['another root of transactions', (_, result) => withField(result, 'transactionsRoot', `0x${'33'.repeat(32)}`)],
    ['another time of every block', (_, result) => withField(result, 'timestamp', '0x1')],
    ['no block', (method, result) => (method.startsWith('eth_getBlock') ? null : result)],
    ['no receipt', (method, result) => (method.includes('Receipt') ? [] : result)],
    ['another sender', (_, result) => withField(result, 'from', `0x${'44'.repeat(20)}`)],
    ['nonsense', () => ({ lie: [1, 'two', null] })],
    [
      'a failure',
      () => {
        throw new RpcRefusal(-32_602, 'missing trie node');
      },
    ],
  ]);
}
