import { useQuery } from '@tanstack/react-query';
import type { Side } from '@causeway/sdk';
import { useSettings } from '../settings/context.js';

/** The block of a transaction, with its time and that of the block that makes it final. */
export interface ChainTimes {
  readonly block: string;
  readonly minedAt: string;
  /** Null until that block exists. */
  readonly finalAt: string | null;
}

type Call = (method: string, params: readonly unknown[]) => Promise<Readonly<Record<string, string>> | null>;

function connectNode(url: string, signal: AbortSignal): Call {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
    });
    const { result } = (await response.json()) as { readonly result?: Readonly<Record<string, string>> | null };
    return result ?? null;
  };
}

async function readTimes(call: Call, hash: string, required: number): Promise<ChainTimes | null> {
  const readAt = async (block: string) => {
    const found = await call('eth_getBlockByNumber', [block, false]);
    return found === null ? null : new Date(Number(found['timestamp']) * 1_000).toISOString();
  };
  const block = (await call('eth_getTransactionReceipt', [hash]))?.['blockNumber'];
  const minedAt = block === undefined ? null : await readAt(block);
  if (block === undefined || minedAt === null) return null;
  const finalAt = await readAt(`0x${(BigInt(block) + BigInt(required - 1)).toString(16)}`);
  return { block: BigInt(block).toString(), minedAt, finalAt };
}

/**
 * Reads the times of a transaction from the chain's first configured node, since the API has only the times at which
 * it learnt of them. Without an answer the page shows those.
 *
 * @param state read again when it changes.
 */
export function useChainTimes(side: Side, hash: string | null, required: number, state: string): ChainTimes | null {
  const [url = ''] = useSettings()[side].rpcUrls;
  const { data } = useQuery({
    queryKey: ['chain-times', side, hash, required, state],
    queryFn: async ({ signal }) => readTimes(connectNode(url, signal), hash ?? '', required),
    enabled: hash !== null,
    placeholderData: (previous) => previous,
    staleTime: Infinity,
  });
  return data ?? null;
}
