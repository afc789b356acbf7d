import type { RpcHooks } from '@causeway/test-kit';
import { numberToHex } from 'viem';

// Lies of one of three nodes of a chain.

type Change = NonNullable<RpcHooks['changeResult']>;
interface Log {
  readonly data: string;
}
interface Receipt {
  readonly logs: readonly Log[];
}

const onReceipts = (method: string, result: unknown, change: (logs: readonly Log[]) => readonly Log[]): unknown => {
  const inReceipt = (receipt: Receipt) => ({ ...receipt, logs: change(receipt.logs) });
  if (result === null) return result;
  if (method === 'eth_getLogs') return change(result as Log[]);
  if (method === 'eth_getBlockReceipts') return (result as Receipt[]).map(inReceipt);
  return method === 'eth_getTransactionReceipt' ? inReceipt(result as Receipt) : result;
};
const onNumber = (names: readonly string[], change: (value: bigint) => bigint): Change => {
  return (method, result) => {
    if (!names.includes(method) || typeof result !== 'string') return result;
    const changed = change(BigInt(result));
    return numberToHex(changed < 0n ? 0n : changed);
  };
};

const LIES = {
  'hides logs': (method, result) => onReceipts(method, result, () => []),
  'shows other amounts': (method, result) =>
    onReceipts(method, result, (logs) => logs.map((log) => ({ ...log, data: log.data.replace(/.$/, '7') }))),
  'shows events twice': (method, result) => onReceipts(method, result, (logs) => [...logs, ...logs]),
  'lags by 30 blocks': onNumber(['eth_blockNumber'], (block) => block - 30n),
  'is 30 blocks ahead': onNumber(['eth_blockNumber'], (block) => block + 30n),
  'forgets transactions': (method, result) =>
    method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash' ? null : result,
  'shows other blocks': (method, result) =>
    method === 'eth_getBlockByNumber' && result !== null
      ? { ...(result as object), hash: `0x${'5a'.repeat(32)}` }
      : result,
  'counts nonces wrong': onNumber(['eth_getTransactionCount'], (nonce) => nonce + 3n),
  'doubles balances': onNumber(['eth_getBalance'], (balance) => 2n * balance),
  'asks for high fees': onNumber(['eth_gasPrice', 'eth_maxPriorityFeePerGas'], (price) => 40n * price),
} as const satisfies Record<string, Change>;

export type Lie = keyof typeof LIES;

export const ALL_LIES = Object.keys(LIES) as Lie[];

/** Applies a lie to a result; null leaves the result unchanged. */
export function applyLie(lie: Lie | null, ...[method, result, parameters]: Parameters<Change>): unknown {
  if (lie === null || result === undefined) return result;
  const change: Change = LIES[lie];
  return change(method, result, parameters);
}
