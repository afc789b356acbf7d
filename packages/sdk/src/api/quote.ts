import type { Direction, FeeQuoteResponse } from '@causeway/protocol';
import { parseAccount } from '../account.js';
import { assertDecimal, findAsset, formatTokenAmount, parseTokenAmount } from '../amount.js';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { getConfig } from './config.js';
import { ask } from './request.js';
import { amount, fields, flag, list, nullable, optional, text, time, whole } from './shape.js';

/** A transfer to quote. */
export interface QuoteParameters {
  /** Symbol, such as USDC. */
  readonly asset: string;
  /** A plain decimal such as '12.5', or a bigint in atomic units, which takes a second request for the decimals. */
  readonly amount: string | bigint;
  readonly direction: Direction;
  /** `sender` and `recipient` add warnings about these accounts. */
  readonly sender?: string | undefined;
  readonly recipient?: string | undefined;
}

export const warnings = list(
  fields<{ code: string; message: string; field: string }>({ code: text, message: text, field: text }),
);

export const quoteShape = fields<FeeQuoteResponse>({
  token: text,
  inputAmount: amount,
  inputAmountFormatted: text,
  feeAmount: amount,
  feeAmountFormatted: text,
  feeBps: whole,
  outputAmount: amount,
  outputAmountFormatted: text,
  minimumAmount: amount,
  maximumAmount: amount,
  availableAmount: amount,
  availableAmountFormatted: text,
  paused: flag,
  deliverable: flag,
  undeliverableReason: nullable(text),
  deliverableAt: nullable(time),
  estimatedSeconds: nullable(whole),
  warnings: optional(warnings),
});

/**
 * Quotes fee and output of a transfer, and whether it could be delivered now. A quote is valid for five seconds. The
 * contract refuses a withdrawal whose fee exceeds the maximum that its sender accepts.
 *
 * @throws InvalidInputError before any request; ApiError BELOW_MINIMUM, or VALIDATION_ERROR for an amount above the
 *   maximum; UnreachableError, AnswerError.
 * @example
 * ```ts
 * const quote = await getQuote(bridge, { asset: 'USDC', amount: '25', direction: 'PARTNER_TO_ETHEREUM' });
 * ```
 */
export async function getQuote(
  bridge: Bridge,
  parameters: QuoteParameters,
  options?: ReadOptions,
): Promise<FeeQuoteResponse> {
  const { asset, direction, sender, recipient } = parameters;
  const given = parameters.amount;
  if (typeof given !== 'bigint') assertDecimal(given);
  const accounts = {
    sender: sender === undefined ? undefined : parseAccount('sender', sender),
    recipient: recipient === undefined ? undefined : parseAccount('recipient', recipient),
  };
  const decimal = typeof given === 'bigint' ? await writeDecimal(bridge, asset, direction, given, options) : given;
  const query = { token: asset, amount: decimal, direction, ...accounts };
  return ask(bridge, 'bridge/fee-quote', quoteShape, { ...options, query });
}

async function writeDecimal(bridge: Bridge, asset: string, direction: Direction, units: bigint, options?: ReadOptions) {
  const side = direction === 'ETHEREUM_TO_PARTNER' ? 'ethereum' : 'partner';
  const token = findAsset(await getConfig(bridge, options), side, asset);
  return formatTokenAmount(token, parseTokenAmount(token, units));
}
