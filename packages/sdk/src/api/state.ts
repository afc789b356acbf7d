import type { StateResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { amount, fields, flag, list, nullable, text, time, whole } from './shape.js';

type Chain = StateResponse['chains']['ethereum'];
type DirectionState = StateResponse['directions'][number];
type Attesters = NonNullable<StateResponse['attesters']>;

const chain = fields<Chain>({
  chainId: whole,
  connected: flag,
  problem: nullable(text),
  newestBlock: nullable(fields<NonNullable<Chain['newestBlock']>>({ number: whole, time, ageSeconds: whole })),
});
const attesters = fields<Attesters['ethereum']>({ members: whole, needed: whole });

/** Reasons are text: new ones may be added. */
const state = fields<StateResponse>({
  time,
  chains: fields<StateResponse['chains']>({ ethereum: chain, partner: chain }),
  relayer: fields<StateResponse['relayer']>({ connected: flag, problem: nullable(text) }),
  attesters: nullable(fields<Attesters>({ ethereum: attesters, partner: attesters })),
  directions: list(
    fields<DirectionState>({
      asset: text,
      direction: text,
      open: flag,
      reason: nullable(text),
      until: nullable(time),
      limit: nullable(
        fields<NonNullable<DirectionState['limit']>>({
          capacity: amount,
          capacityFormatted: text,
          remaining: amount,
          remainingFormatted: text,
        }),
      ),
    }),
  ),
  assets: list(
    fields<StateResponse['assets'][number]>({
      asset: text,
      locked: nullable(amount),
      lockedFormatted: nullable(text),
      supply: nullable(amount),
      supplyFormatted: nullable(text),
      float: nullable(amount),
      floatFormatted: nullable(text),
      isCovered: nullable(flag),
    }),
  ),
  announcements: nullable(
    list(
      fields<NonNullable<StateResponse['announcements']>[number]>({
        side: text,
        title: text,
        what: text,
        executableAt: time,
      }),
    ),
  ),
});

/**
 * Reads the state of each part of the bridge: chains, relayer, attesters, directions, reserves and announced changes. A
 * part that the API cannot read is null or has a problem. The API renews it every few seconds.
 *
 * @throws ApiError, UnreachableError, AnswerError
 */
export async function getState(bridge: Bridge, options?: ReadOptions): Promise<StateResponse> {
  return ask(bridge, 'bridge/state', state, options);
}
