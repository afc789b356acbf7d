import type { BridgeOperationResponse, HistoryResponse, ReservesResponse } from '@causeway/sdk';
import type { Hex } from 'viem';
import { CHECK } from '../words/check.js';

/** The API's claim about a transfer, or the reason for its absence. Its form is not checked, and not trusted. */
export type Claimed = { readonly claim: BridgeOperationResponse } | { readonly claim: null; readonly problem: string };

/** Milliseconds until the check goes on without the API. */
const TIMEOUT_MS = 10_000;

/** Asks the API about an id of any kind, or about the transaction that began a transfer. */
export async function readClaim(apiUrl: string, asked: Hex): Promise<Claimed> {
  try {
    const history = (await get(apiUrl, `bridge/history?ids=${asked}`)) as HistoryResponse | null;
    const known = history?.operations[0];
    const name = (['depositId', 'intentId', 'withdrawId'] as const).find((field) => known?.[field] === asked);
    if (known !== undefined && name === undefined) return { claim: known };
    // Only the status names the other operations of the transaction.
    const claim = (await get(
      apiUrl,
      `bridge/status?${name ?? 'originTxHash'}=${asked}`,
    )) as BridgeOperationResponse | null;
    return claim === null ? { claim, problem: CHECK.unknownToApi } : { claim };
  } catch (error) {
    return { claim: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads the newest statements of the reserves. Their form is not checked. */
export async function readStatements(apiUrl: string): Promise<ReservesResponse> {
  const page = (await get(apiUrl, 'bridge/reserves?limit=10')) as ReservesResponse | null;
  return page ?? { needed: null, statements: [], nextBefore: null };
}

/** Null for an unknown transfer. */
async function get(apiUrl: string, path: string): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/${path}`, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}
