import type { LimitsResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { amount, fields, flag, list, nullable, text, whole } from './shape.js';

type DirectionLimits = LimitsResponse['ETHEREUM_TO_PARTNER'];

const direction = fields<DirectionLimits>({
  paused: flag,
  deliveriesPaused: flag,
  undeliverableReason: nullable(text),
  requiredConfirmations: whole,
  holdSeconds: whole,
  estimatedSeconds: nullable(whole),
  assets: list(
    fields<DirectionLimits['assets'][number]>({
      token: text,
      feeBps: whole,
      minimumFee: amount,
      minimumFeeFormatted: text,
      minimumAmount: amount,
      minimumAmountFormatted: text,
      maximumAmount: amount,
      maximumAmountFormatted: text,
      mayBegin: flag,
      availableAmount: amount,
      availableAmountFormatted: text,
      outflowRoom: amount,
      outflowRoomFormatted: text,
    }),
  ),
});

const limits = fields<LimitsResponse>({ ETHEREUM_TO_PARTNER: direction, PARTNER_TO_ETHEREUM: direction });

/**
 * Reads fees, minimum and maximum amounts, and currently deliverable amounts per direction and asset. They can be
 * cached for three minutes.
 *
 * @throws ApiError, UnreachableError, AnswerError
 */
export async function getLimits(bridge: Bridge, options?: ReadOptions): Promise<LimitsResponse> {
  return ask(bridge, 'bridge/limits', limits, options);
}
