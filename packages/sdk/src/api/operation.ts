import type { BridgeOperationResponse, HistoryResponse } from '@causeway/protocol';
import type { Hex } from 'viem';
import { parseHash } from '../hash.js';
import type { Bridge } from '../bridge.js';
import { InvalidInputError } from '../errors.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { address, amount, fields, flag, hash, list, nullable, text, time, whole } from './shape.js';

/** Identifies an operation. `index`: its position in its transaction, in log order. Default: 0. */
export type OperationIdentifier =
  | { readonly originTxHash: Hex; readonly index?: number | undefined }
  | { readonly depositId: Hex }
  | { readonly withdrawId: Hex }
  | { readonly intentId: Hex };

type Settlement = NonNullable<BridgeOperationResponse['settlement']>;
type Fee = NonNullable<BridgeOperationResponse['fee']>;

/** `status` and the reasons are text: an unknown status is not terminal. */
export const operationShape = fields<BridgeOperationResponse>({
  id: hash,
  asset: text,
  direction: text,
  status: text,
  amount,
  amountFormatted: text,
  fee: nullable(fields<Fee>({ amount, formatted: text })),
  outputAmount: amount,
  outputAmountFormatted: text,
  originChainId: whole,
  destinationChainId: whole,
  originTxHash: nullable(hash),
  destinationTxHash: nullable(hash),
  depositId: nullable(hash),
  withdrawId: nullable(hash),
  intentId: nullable(hash),
  sender: address,
  recipient: address,
  originConfirmations: whole,
  requiredConfirmations: whole,
  estimatedCompletionTime: nullable(time),
  relayerWalletAddress: nullable(address),
  unpayableReason: nullable(text),
  holdUntil: nullable(time),
  settlement: nullable(fields<Settlement>({ txHash: hash, recipient: address, amount, credited: flag })),
  delayedReason: nullable(text),
  failureReason: nullable(text),
  failureMessage: nullable(text),
  refundId: nullable(hash),
  otherOperationIds: list(hash),
  createdAt: time,
  updatedAt: time,
});

const NAMES = ['originTxHash', 'depositId', 'withdrawId', 'intentId'] as const;

/**
 * Returns the query of an identifier.
 *
 * @throws InvalidInputError
 */
export function toQuery(identifier: OperationIdentifier): Readonly<Record<string, string | number | undefined>> {
  const given: Partial<Record<(typeof NAMES)[number], string>> & { readonly index?: number | undefined } = identifier;
  const [name, ...further] = NAMES.filter((each) => given[each] !== undefined);
  if (name === undefined || further.length > 0)
    throw new InvalidInputError('identifier', `must have one of ${NAMES.join(', ')}`);
  return { [name]: parseHash(name, given[name] ?? ''), index: given.index };
}

/**
 * Reads the status of an operation. COMPLETED, FAILED and EXPIRED are terminal.
 *
 * @throws InvalidInputError; ApiError OPERATION_NOT_FOUND, whose message says why; UnreachableError, AnswerError
 * @example
 * ```ts
 * const { status } = await getStatus(bridge, { originTxHash });
 * ```
 */
export async function getStatus(
  bridge: Bridge,
  identifier: OperationIdentifier,
  options?: ReadOptions,
): Promise<BridgeOperationResponse> {
  return ask(bridge, 'bridge/status', operationShape, { ...options, query: toQuery(identifier) });
}

const found = fields<Pick<HistoryResponse, 'operations'>>({ operations: list(operationShape) });

/**
 * Reads an operation by its `id`, whatever its kind.
 *
 * @returns null for an unknown id.
 * @throws InvalidInputError, ApiError, UnreachableError, AnswerError
 */
export async function getOperation(
  bridge: Bridge,
  id: Hex,
  options?: ReadOptions,
): Promise<BridgeOperationResponse | null> {
  const query = { ids: parseHash('id', id) };
  const { operations } = await ask(bridge, 'bridge/history', found, { ...options, query });
  return operations[0] ?? null;
}
