import type { UnsweptTransfer } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findCovered } from './sweep.js';

const address = anAddress('the relayer');
const former = anAddress('a former relayer');
const transfer = (amount: bigint, wallet = address): UnsweptTransfer => ({
  operationId: aHash(),
  wallet,
  txHash: aHash(),
  callIndex: 0,
  blockNumber: 1n,
  amount,
});
const sum = (transfers: readonly UnsweptTransfer[]) => transfers.reduce((all, { amount }) => all + amount, 0n);

describe('findCovered', () => {
  it.each([
    ['all when the wallet holds what they brought, its gas reserve or not', [5n, 6n], [], 11n, [5n, 6n]],
    ['those that fit when coin is missing', [5n, 6n, 3n], [], 8n, [5n, 3n]],
    ['none in a wallet that owes more than it holds', [5n], [], -1n, []],
    ['those to a former wallet only above the gas reserve', [5n], [7n], 22n, [5n, 7n]],
    ['none of those without the reserve', [5n], [7n], 21n, [5n]],
    ['those to the wallet before those to a former one', [9n], [7n], 10n, [9n]],
  ])('finds %s', (_, own, others, available, expected) => {
    const transfers = [...others.map((amount) => transfer(amount, former)), ...own.map((amount) => transfer(amount))];
    const covered = findCovered(transfers, available, { address, gasReserve: 10n });
    expect(covered.map(({ amount }) => amount)).toEqual(expected);
  });

  it('never takes more than there is, and the reserve for its own transfers only', () => {
    const amounts = fc.array(fc.bigInt(1n, 50n), { maxLength: 8 });
    fc.assert(
      fc.property(amounts, amounts, fc.bigInt(0n, 300n), fc.bigInt(0n, 100n), (own, others, available, gasReserve) => {
        const transfers = [...own.map((amount) => transfer(amount)), ...others.map((amount) => transfer(amount, former))];
        const covered = findCovered(transfers, available, { address, gasReserve });
        expect(sum(covered) <= available).toBe(true);
        if (covered.some(({ wallet }) => wallet === former)) expect(available - sum(covered) >= gasReserve).toBe(true);
      }),
    );
  });
});
