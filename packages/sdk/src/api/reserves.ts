import type { ReservesResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { address, amount, fields, hash, list, nullable, text, whole } from './shape.js';

type Statement = ReservesResponse['statements'][number];

const block = fields<Statement['ethereum']>({ number: whole, hash });

const reserves = fields<ReservesResponse>({
  needed: nullable(whole),
  statements: list(
    fields<Statement>({
      day: whole,
      digest: hash,
      previous: hash,
      ethereum: block,
      partner: block,
      assets: list(
        fields<Statement['assets'][number]>({
          asset: text,
          locked: amount,
          supply: amount,
          held: amount,
          inFlight: amount,
          fees: amount,
        }),
      ),
      attesterSet: whole,
      signatures: list(fields<Statement['signatures'][number]>({ attester: address, signature: text })),
    }),
  ),
  nextBefore: nullable(whole),
});

/** A page of statements. */
export interface ReservesPage {
  /** Statements per page. Default 20, maximum 100. */
  readonly limit?: number | undefined;
  /** `nextBefore` of the previous page. */
  readonly before?: number | undefined;
}

/**
 * Reads the daily statements of the reserves that attesters signed, newest first. `causeway-verify --reserves` checks
 * them with your own nodes.
 *
 * @throws ApiError VALIDATION_ERROR; UnreachableError, AnswerError
 */
export async function getReserves(
  bridge: Bridge,
  { limit, before }: ReservesPage = {},
  options?: ReadOptions,
): Promise<ReservesResponse> {
  return ask(bridge, 'bridge/reserves', reserves, { ...options, query: { limit, before } });
}
