import { encodeFunctionData, toHex, type Hex } from 'viem';
import { testUsdcAbi } from '@causeway/contracts/abi';

const VARIETY = 500;
const BATCH = 100;
const BATCHES = 50;

/** Bodies of requests that read. Calls differ from each other, as those of many users do. */
export interface ReadBodies {
  readonly blockNumber: readonly string[];
  readonly call: readonly string[];
  /** A hundred eth_call each, as a wallet that looks up its tokens sends them. */
  readonly batchOfCalls: readonly string[];
  /** A hundred calls each, a quarter of every kind; three of them cost a node next to nothing. */
  readonly mixedBatch: readonly string[];
}

/** @param token an ERC-20 token. */
export function readBodies(token: Hex): ReadBodies {
  const address = (index: number) => toHex(index + 1, { size: 20 });
  const balanceOf = (index: number) =>
    encodeFunctionData({ abi: testUsdcAbi, functionName: 'balanceOf', args: [address(index)] });
  const body = (id: number, method: string, params: readonly unknown[]) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const call = (index: number) => body(index, 'eth_call', [{ to: token, data: balanceOf(index) }, 'latest']);
  const kinds = [
    call,
    (index: number) => body(index, 'eth_blockNumber', []),
    (index: number) => body(index, 'eth_getBalance', [address(index), 'latest']),
    (index: number) => body(index, 'eth_getTransactionCount', [address(index), 'latest']),
  ];
  const indexes = Array.from({ length: VARIETY }, (_, index) => index);
  const batchOf = (kind: (index: number) => string) => (first: number) =>
    `[${Array.from({ length: BATCH }, (_, index) => kind(first * BATCH + index)).join(',')}]`;
  const mixed = (index: number) => kinds[index % kinds.length]?.(index) ?? call(index);
  return {
    blockNumber: indexes.map((index) => body(index, 'eth_blockNumber', [])),
    call: indexes.map(call),
    batchOfCalls: indexes.slice(0, BATCHES).map(batchOf(call)),
    mixedBatch: indexes.slice(0, BATCHES).map(batchOf(mixed)),
  };
}
