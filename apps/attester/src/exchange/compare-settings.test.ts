import { describe, expect, it } from '@jest/globals';
import { compareSettings } from './compare-settings.js';

const own = { holdSeconds: 3_600, ethereumConfirmations: 12, partnerConfirmations: 6, validSeconds: 600 };

describe('compareSettings', () => {
  it.each([
    [{}, []],
    [{ validSeconds: 540 }, []],
    [{ holdSeconds: 60 }, ['HOLD_SECONDS is 3600 here and 60 at the relayer']],
    [
      { ethereumConfirmations: 1, partnerConfirmations: 7 },
      [
        'ETHEREUM_CONFIRMATIONS is 12 here and 1 at the relayer',
        'PARTNER_CONFIRMATIONS is 6 here and 7 at the relayer',
      ],
    ],
    [{ validSeconds: 601 }, ['the relayer asks for signatures valid for 601 s, above the maximum of 600 s']],
  ])('for %j returns %j', (over, expected) => {
    expect(compareSettings(own, { ...own, ...over })).toEqual(expected);
  });
});
