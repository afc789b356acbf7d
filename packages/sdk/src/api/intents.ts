import type { BindOriginResponse, Direction, IntentResponse, TransactionsResponse } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Bridge } from '../bridge.js';
import { quoteShape, warnings } from './quote.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { address, amount, fields, flag, hash, list, nullable, text, time, whole } from './shape.js';

/** A signed intent. */
export interface IntentRequest {
  readonly senderAddress: Address;
  readonly recipientAddress: Address;
  readonly amountAtomic: string;
  readonly idempotencyKey: string;
  /** Unix seconds. */
  readonly deadline: number;
  readonly nonce: string;
  readonly signature: Hex;
}

/** A transfer whose calls are requested. */
export interface TransactionsRequest {
  readonly token: string;
  /** A plain decimal. */
  readonly amount: string;
  readonly direction: Direction;
  readonly senderAddress: Address;
  readonly recipientAddress: Address;
  readonly byIntent?: boolean;
}

const intent = fields<IntentResponse>({
  intentId: hash,
  relayerWalletAddress: address,
  status: text,
  amountAtomic: amount,
  fee: fields<IntentResponse['fee']>({ amount }),
  outputAmount: amount,
  expiresAt: time,
  deliverable: flag,
});

const binding = fields<BindOriginResponse>({ intentId: hash, originTxHash: hash, status: text });

const call = fields<TransactionsResponse['calls'][number]>({
  chainId: whole,
  from: address,
  to: address,
  data: text,
  value: amount,
  gas: amount,
});
const domain = fields<TransactionsResponse['bySignature'][number]['typedData']['domain']>({
  name: text,
  version: text,
  chainId: whole,
  verifyingContract: address,
});

const transactions = fields<TransactionsResponse>({
  quote: quoteShape,
  warnings,
  calls: list(call),
  bySignature: list(
    fields<TransactionsResponse['bySignature'][number]>({
      standard: text,
      typedData: fields<TransactionsResponse['bySignature'][number]['typedData']>({
        domain,
        primaryType: text,
        message: fields<Readonly<Record<string, string>>>({}),
      }),
      call,
    }),
  ),
  typedData: nullable(fields<NonNullable<TransactionsResponse['typedData']>>({ domain, primaryType: text })),
});

/**
 * Registers an intent. The same key with the same body returns the same answer.
 *
 * @throws ApiError, UnreachableError, AnswerError
 */
export async function postIntent(bridge: Bridge, body: IntentRequest, options?: ReadOptions): Promise<IntentResponse> {
  return ask(bridge, 'bridge/xcn-withdraw-intent', intent, { ...options, body });
}

/**
 * Names the transaction or user operation that pays an intent.
 *
 * @throws ApiError, UnreachableError, AnswerError
 */
export async function postBinding(
  bridge: Bridge,
  body: { readonly intentId: Hex; readonly senderAddress: Address; readonly originTxHash: Hex },
  options?: ReadOptions,
): Promise<BindOriginResponse> {
  return ask(bridge, 'bridge/xcn-withdraw-intent/bind-origin', binding, { ...options, body });
}

/**
 * Reads the unsigned calls of a transfer and the alternatives by signature. The API stores nothing.
 *
 * @throws ApiError, UnreachableError, AnswerError
 */
export async function postTransactions(
  bridge: Bridge,
  body: TransactionsRequest,
  options?: ReadOptions,
): Promise<TransactionsResponse> {
  return ask(bridge, 'bridge/transactions', transactions, { ...options, body });
}
