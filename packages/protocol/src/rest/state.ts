import { z } from 'zod';
import { CLOSED_REASONS, type StateResponse } from '../answers/state.js';
import { amountText, asset, chainId, decimalText, direction, timestamp } from './fields.js';

const part = z.object({
  connected: z.boolean().describe('Whether it works.'),
  problem: z.string().nullable().describe('Why it does not work, as a sentence; null while it works.'),
});

const chain = part
  .extend({
    chainId,
    newestBlock: z
      .object({
        number: z.int().describe('Its number.'),
        time: timestamp.describe('Its timestamp.'),
        ageSeconds: z.int().describe('Seconds since its timestamp.'),
      })
      .nullable()
      .describe('The newest block that enough nodes have; null if unknown.'),
  })
  .describe('Not connected while too few nodes agree, the chain makes no blocks, or operators halted it.');

const attesters = z
  .object({
    members: z.int().describe('Attesters that the contract names.'),
    needed: z.int().describe('Signatures that a delivery needs; 0 without attesters.'),
  })
  .describe('Attesters of one contract.');

const directionState = z.object({
  asset,
  direction,
  open: z.boolean().describe('Whether transfers can begin and be delivered.'),
  reason: z
    .enum(CLOSED_REASONS)
    .nullable()
    .describe(
      'Why no transfer should begin; null while `open` is true. PAUSED: the origin contract accepts none. DELIVERIES_PAUSED: the destination contract makes none. CHAIN_HALTED: operators halted a chain. CHAIN_AWAY: a chain is unavailable or makes no blocks. DATABASE_AWAY: the database is unavailable. RELAYER_AWAY: no relayer is running. LIMIT_REACHED: the outflow limit has no room. FUNDS_SHORT: the destination holds no collateral or float.',
    ),
  until: timestamp.nullable().describe('When it opens again; null if unknown.'),
  limit: z
    .object({
      capacity: amountText.describe('Maximum, in atomic units.'),
      capacityFormatted: decimalText,
      remaining: amountText.describe('Left now, less the pending operations, in atomic units.'),
      remainingFormatted: decimalText,
    })
    .nullable()
    .describe('Outflow limit of the destination contract; null if unknown.'),
});

const assetState = z.object({
  asset,
  locked: amountText.nullable().describe('Held by BridgeLock for users, in atomic units; null if unknown.'),
  lockedFormatted: decimalText.nullable(),
  supply: amountText
    .nullable()
    .describe('Bridged to the partner chain and owed to holders, in atomic units; null if unknown.'),
  supplyFormatted: decimalText.nullable(),
  float: amountText
    .nullable()
    .describe('Native coin that BridgeMint can deliver, in atomic units; null if unknown or without a float.'),
  floatFormatted: decimalText.nullable(),
  isCovered: z.boolean().nullable().describe('Whether `locked` is at least `supply`; null if unknown.'),
});

const announcement = z.object({
  side: z.enum(['ethereum', 'partner']).describe('Chain of the contract.'),
  title: z.string().describe('Contract and function.'),
  what: z.string().describe('The arguments, as name and value.'),
  executableAt: timestamp.describe('The earliest execution.'),
});

/** `GET /bridge/state`: each part of the bridge now. A part that cannot be read is null or has a problem. */
export const stateResponseSchema = z.object({
  time: timestamp.describe('When the state was read.'),
  chains: z.object({ ethereum: chain, partner: chain }).describe('Both chains.'),
  relayer: part.describe('The service that delivers.'),
  attesters: z
    .object({ ethereum: attesters, partner: attesters })
    .nullable()
    .describe('Attesters of both contracts; null if unknown.'),
  directions: z.array(directionState).describe('One entry per asset and direction.'),
  assets: z.array(assetState).describe('One entry per asset.'),
  announcements: z
    .array(announcement)
    .nullable()
    .describe('Changes that a timelock has announced and not executed, the earliest first; null if unknown.'),
}) satisfies z.ZodType<StateResponse>;
