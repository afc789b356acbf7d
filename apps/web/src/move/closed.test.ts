import { describe, expect, it } from '@jest/globals';
import { ApiError, UnreachableError, type StateResponse } from '@causeway/sdk';
import { CLOSED_WORDS } from '../words/status.js';
import { MOVE } from '../words/move.js';
import { judgeClosed } from './closed.js';

const part = { chainId: 1, connected: true, problem: null, newestBlock: null };
const state = (direction: object): StateResponse =>
  ({
    chains: { ethereum: part, partner: part },
    relayer: { connected: false, problem: 'The relayer is away.' },
    directions: [
      { asset: 'ETH', direction: 'ETHEREUM_TO_PARTNER', open: true, reason: null, until: null, ...direction },
    ],
  }) as unknown as StateResponse;
const judge = (answer: Parameters<typeof judgeClosed>[0], isOnline = true) =>
  judgeClosed(answer, 'ETH', 'ETHEREUM_TO_PARTNER', isOnline);

describe('the form', () => {
  it('is open while its direction is', () => {
    expect(judge({ data: state({}), error: null })).toBeNull();
    expect(judge({ data: undefined, error: null })).toBeNull();
  });

  it('is closed with the reason and the time of the state', () => {
    const until = '2027-01-01T00:00:00.000Z';
    const closed = judge({ data: state({ open: false, reason: 'RELAYER_AWAY', until }), error: null });
    expect(closed).toEqual({ reason: CLOSED_WORDS.RELAYER_AWAY, problem: 'The relayer is away.', until });
  });

  it('is closed while the API is away or busy, or the device offline', () => {
    const error = new UnreachableError('http://api', new Error());
    expect(judge({ data: state({}), error })?.reason).toBe(MOVE.closed.API_AWAY);
    const busy = new ApiError(429, 'RATE_LIMITED', 'too many', { nextStep: 'Wait.' });
    expect(judge({ data: undefined, error: busy })?.reason).toBe(MOVE.closed.API_BUSY);
    expect(judge({ data: state({}), error: null }, false)?.reason).toBe(MOVE.closed.OFFLINE);
  });
});
