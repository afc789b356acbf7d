import type { ExplainResponse, RefundResponse } from '@causeway/protocol';
import type { Hex } from 'viem';
import { parseAccount } from '../account.js';
import { parseHash } from '../hash.js';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { address, amount, fields, hash, list, nullable, text, time, whole } from './shape.js';

/** The hash to explain: of any transaction or user operation, or an operation id. */
export interface ExplainParameters {
  readonly hash: Hex;
  /** Sender and nonce of the transaction, to detect a replacement. */
  readonly sender?: string | undefined;
  readonly nonce?: number | undefined;
}

const verdict = fields<ExplainResponse>({
  hash,
  code: text,
  message: text,
  nextStep: text,
  operationIds: list(hash),
  until: nullable(time),
  replacedBy: nullable(hash),
});

const refund = fields<RefundResponse>({
  id: hash,
  operationId: hash,
  status: text,
  chainId: whole,
  asset: text,
  payer: address,
  amount,
  amountFormatted: text,
  payment: nullable(
    fields<NonNullable<RefundResponse['payment']>>({
      recipient: address,
      amount,
      amountFormatted: text,
      txHash: nullable(hash),
    }),
  ),
});

/**
 * Explains in words what happened to a transaction or an operation and what to do next.
 *
 * @throws InvalidInputError, ApiError, UnreachableError, AnswerError
 */
export async function explainHash(
  bridge: Bridge,
  parameters: ExplainParameters,
  options?: ReadOptions,
): Promise<ExplainResponse> {
  const { sender, nonce } = parameters;
  const query = {
    hash: parseHash('hash', parameters.hash),
    sender: sender === undefined ? undefined : parseAccount('sender', sender),
    nonce,
  };
  return ask(bridge, 'bridge/explain', verdict, { ...options, query });
}

/**
 * Reads the refund of a failed operation by its `refundId`. COMPLETED and REFUSED are terminal.
 *
 * @throws InvalidInputError; ApiError OPERATION_NOT_FOUND; UnreachableError, AnswerError
 */
export async function getRefund(bridge: Bridge, id: Hex, options?: ReadOptions): Promise<RefundResponse> {
  return ask(bridge, `bridge/refunds/${parseHash('id', id)}`, refund, options);
}
