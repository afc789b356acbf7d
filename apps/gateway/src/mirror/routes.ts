import { PartnerChainError } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import type { EmbeddedBackend } from '../backends/embedded/embedded-backend.js';
import { HttpError, type Route, type RouteRequest, type RouteResponse } from '../server/routes.js';
import { listMessages, paginateActions, readActionsQuery, toMirrorAction } from './actions.js';
import { findMinedTransaction, mirrorTimestamp, toContractResult, type MinedTransaction } from './contract-result.js';

const HASH = /^(?:0x)?([0-9a-fA-F]{64})$/;
/** Maximum length of a path segment; a longer one gets 414. */
const MAX_SEGMENT = 100;

/** JSON.rawJSON of ECMAScript 2026, which the compiler does not know. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * The mirror endpoints: the outcome and call tree of a transaction, in the format of a Hedera mirror node. Only the
 * embedded chain has call trees.
 *
 * Errors: 429 beyond the limits, 503 under too much load, 400 for an invalid hash, 404 for a transaction that is not
 * mined.
 */
export function mirrorRoutes(backend: EmbeddedBackend): readonly Route[] {
  return [
    {
      path: /^\/api\/v1\/contracts\/results\/([^/]+)$/,
      answer: (request) =>
        inTurn(backend, request, async () => {
          const mined = find(backend, request);
          return { status: 200, body: exactJson(await toContractResult(mined, backend.chain.reader)) };
        }),
    },
    {
      path: /^\/api\/v1\/contracts\/results\/([^/]+)\/actions$/,
      // Parses the query first, so that an invalid one is refused without queueing.
      answer: (request) => {
        const query = readActionsQuery(request.query);
        return inTurn(backend, request, () => listActions(backend, request, find(backend, request), query));
      },
    },
  ];
}

/** An incomplete call tree gets 206 on every page; `_status` says how much is missing. */
function listActions(
  backend: EmbeddedBackend,
  { path }: RouteRequest,
  mined: MinedTransaction,
  query: ReturnType<typeof readActionsQuery>,
): RouteResponse {
  const state = backend.chain.reader.state(mined.block.header.number);
  const context = {
    timestamp: mirrorTimestamp(mined),
    isContract: (address: Hex) => state.account(hexToBytes(address))?.isContract() === true,
  };
  // Looks up only the page, because a call tree can have ten thousand messages.
  const { actions, links } = paginateActions(listMessages(mined.calls), query, path);
  const { omitted } = mined.calls;
  const body = { actions: actions.map((message) => toMirrorAction(message, context)), links };
  if (omitted === undefined) return { status: 200, body: exactJson(body) };
  const message = `Partial content: the call tree was too large to be stored completely, ${omitted} of its messages or their results are missing`;
  return { status: 206, body: exactJson({ ...body, _status: { messages: [{ message }] } }) };
}

/** Queues with the heavy calls, because a large transaction takes long to read. */
async function inTurn(
  backend: EmbeddedBackend,
  { ip }: RouteRequest,
  task: () => RouteResponse | Promise<RouteResponse>,
): Promise<RouteResponse> {
  try {
    return await backend.inTurn(ip, task);
  } catch (error) {
    if (!(error instanceof PartnerChainError && error.code === 'UNAVAILABLE')) throw error;
    throw new HttpError(503, `Service unavailable: ${error.message}`);
  }
}

function find({ chain, callTrees }: EmbeddedBackend, { groups: [hash = ''] }: RouteRequest): MinedTransaction {
  if (hash.length > MAX_SEGMENT) throw new HttpError(414, '');
  const digits = HASH.exec(hash)?.[1];
  if (digits === undefined) throw new HttpError(400, 'Invalid parameter: transactionIdOrHash');
  const mined = findMinedTransaction(chain.reader, callTrees, `0x${digits.toLowerCase()}`);
  if (mined === null) throw new HttpError(404, 'Not found');
  return mined;
}

/** Converts to JSON, with a bigint as a number with all digits, like the amounts (int64) of a mirror node. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'bigint' ? rawJSON(field.toString()) : field,
  );
}
