import type {
  Asset,
  BridgeOperationResponse,
  Direction,
  HistoryResponse,
  OperationsResponse,
  OperationStatus,
} from '@causeway/protocol';
import type { Hex } from 'viem';
import { parseAccount } from '../account.js';
import { parseHash } from '../hash.js';
import type { Bridge } from '../bridge.js';
import { AnswerError } from '../errors.js';
import { operationShape } from './operation.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { fields, flag, hash, list, nullable, text, whole } from './shape.js';

/** The operations of a wallet. */
export interface AddressHistory {
  /** As sender or recipient. */
  readonly address: string;
  /** `pagination.nextCursor` of the previous page. */
  readonly cursor?: Hex | undefined;
  /** Operations per page. Default 10, maximum 100. */
  readonly limit?: number | undefined;
  readonly direction?: Direction | undefined;
  /** Only operations that the wallet sent, or only those it receives. */
  readonly role?: 'sender' | 'recipient' | undefined;
  readonly status?: readonly OperationStatus[] | undefined;
}

const history = fields<HistoryResponse>({
  operations: list(operationShape),
  pagination: fields<HistoryResponse['pagination']>({ hasMore: flag, nextCursor: nullable(hash), limit: whole }),
});

/**
 * Reads one page of a wallet's operations, newest first, or up to 100 operations in the order of their ids.
 *
 * @throws InvalidInputError; ApiError VALIDATION_ERROR; UnreachableError, AnswerError
 */
export async function getHistory(
  bridge: Bridge,
  parameters: AddressHistory | { readonly ids: readonly Hex[] },
  options?: ReadOptions,
): Promise<HistoryResponse> {
  return ask(bridge, 'bridge/history', history, { ...options, query: toQuery(parameters) });
}

/** Filters of the operations of all wallets, and the page. */
export interface OperationFilters {
  readonly asset?: Asset | undefined;
  readonly direction?: Direction | undefined;
  readonly status?: OperationStatus | undefined;
  /** Operations per page. Default 10, maximum 100. */
  readonly limit?: number | undefined;
  /** `pagination.nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

const operationsPage = fields<OperationsResponse>({
  operations: list(operationShape),
  pagination: fields<OperationsResponse['pagination']>({ hasMore: flag, nextCursor: nullable(text), limit: whole }),
});

/**
 * Reads one page of the operations of all wallets, newest first.
 *
 * @throws ApiError VALIDATION_ERROR; UnreachableError, AnswerError
 */
export async function listOperations(
  bridge: Bridge,
  { asset, direction, status, limit, cursor }: OperationFilters = {},
  options?: ReadOptions,
): Promise<OperationsResponse> {
  const query = { asset, direction, status, limit, cursor };
  return ask(bridge, 'bridge/operations', operationsPage, { ...options, query });
}

/**
 * Iterates over the operations of a wallet, newest first. New operations cause neither gaps nor repetitions. Each page
 * is read when the loop reaches it.
 *
 * @throws as {@link getHistory}.
 */
export async function* iterateHistory(
  bridge: Bridge,
  parameters: AddressHistory,
  options?: ReadOptions,
): AsyncGenerator<BridgeOperationResponse, void, undefined> {
  for (let { cursor } = parameters; ;) {
    const { operations, pagination } = await getHistory(bridge, { ...parameters, cursor }, options);
    yield* operations;
    if (pagination.nextCursor === null) return;
    if (pagination.nextCursor === cursor)
      throw new AnswerError('pagination.nextCursor', 'repeats the cursor of its own page');
    cursor = pagination.nextCursor;
  }
}

function toQuery(parameters: AddressHistory | { readonly ids: readonly Hex[] }) {
  if ('ids' in parameters) return { ids: parameters.ids.map((id) => parseHash('ids', id)).join(',') };
  const { address, cursor, limit, direction, role, status } = parameters;
  return {
    address: parseAccount('address', address),
    cursor: cursor === undefined ? undefined : parseHash('cursor', cursor),
    limit,
    direction,
    role,
    status: status?.join(','),
  };
}
