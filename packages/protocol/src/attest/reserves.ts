import { z } from 'zod';
import type { ReservesProposal, ReservesStatement } from '../reserves.js';
import { hash32, uint256 as number } from '../rest/fields.js';

const proposal = {
  day: number,
  previous: hash32,
  ethereumBlock: number,
  ethereumHash: hash32,
  partnerBlock: number,
  partnerHash: hash32,
};

/** A relayer's request for a statement. */
export const reservesProposal = z.strictObject(proposal) satisfies z.ZodType<ReservesProposal>;

const assetReserves = z.strictObject({
  asset: z.string().regex(/^[A-Z0-9]{1,12}$/),
  locked: number,
  supply: number,
  held: number,
  inFlight: number,
  fees: number,
});

/** An attester's answer to a proposal. */
export const reservesStatement = z.strictObject({
  ...proposal,
  assets: z.array(assetReserves).min(1).max(64),
}) satisfies z.ZodType<ReservesStatement>;
