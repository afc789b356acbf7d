import { describe, expect, it } from '@jest/globals';
import { numberParties } from './open-operation.js';

const row = (address: string, id: string, direction: 'ETHEREUM_TO_PARTNER' | 'PARTNER_TO_ETHEREUM') => ({
  address,
  direction,
  operation_id: id,
  is_unproven: false,
});

describe('numberParties', () => {
  it('continues the numbers of each address and direction', () => {
    const rows = [
      row('a', '1', 'ETHEREUM_TO_PARTNER'),
      row('b', '1', 'ETHEREUM_TO_PARTNER'),
      row('a', '2', 'PARTNER_TO_ETHEREUM'),
      row('a', '3', 'ETHEREUM_TO_PARTNER'),
    ];
    const counters = [
      { address: 'a', total: '10', deposits: '7', withdrawals: '3' },
      { address: 'b', total: '1', deposits: '1', withdrawals: '0' },
    ];
    const numbers = numberParties(rows, counters).map(
      (one) => `${one.address} ${one.operation_id}: ${one.sequence} ${one.direction_sequence}`,
    );
    expect(numbers.toSorted()).toEqual(['a 1: 8 6', 'a 2: 9 3', 'a 3: 10 7', 'b 1: 1 1']);
  });

  it('throws for an address without a counter', () => {
    expect(() => numberParties([row('a', '1', 'ETHEREUM_TO_PARTNER')], [])).toThrow('no counter of a');
  });
});
