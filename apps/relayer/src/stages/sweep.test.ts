import type { UnsweptTransfer } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findCovered } from './sweep.js';

const address = anAddress('the relayer');
const former = anAddress('a former relayer');
const paidForWallets = [former];
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
    ['all that the wallet holds, although it is below its gas reserve', [5n, 6n], [], 0n, [5n, 6n]],
    ['those that fit when coin is missing', [5n, 6n, 3n], [], -6n, [5n, 3n]],
    ['none in a wallet that owes what they brought', [5n], [], -5n, []],
    ['those to a former wallet only above the gas reserve', [5n], [7n], 17n, [5n, 7n]],
    ['none of those without the reserve', [5n], [7n], 16n, [5n]],
  ])('finds %s', (_, own, others, free, expected) => {
    const transfers = [...others.map((amount) => transfer(amount, former)), ...own.map((amount) => transfer(amount))];
    const covered = findCovered(transfers, { address, free, gasReserve: 10n, paidForWallets });
    expect(covered.map(({ amount }) => amount)).toEqual(expected);
  });

  it('pays for no former wallet that operators do not name', () => {
    const terms = { address, free: 100n, gasReserve: 10n, paidForWallets: [anAddress('another former relayer')] };
    expect(findCovered([transfer(7n, former)], terms)).toEqual([]);
  });

  it('never takes more than there is, and nothing of the reserve for a former wallet', () => {
    const amounts = fc.array(fc.bigInt(1n, 50n), { maxLength: 8 });
    fc.assert(
      fc.property(amounts, amounts, fc.bigInt(-200n, 300n), fc.bigInt(0n, 100n), (own, others, free, gasReserve) => {
        const mine = own.map((amount) => transfer(amount));
        const transfers = [...others.map((amount) => transfer(amount, former)), ...mine];
        const covered = findCovered(transfers, { address, free, gasReserve, paidForWallets });
        const left = free + sum(mine) - sum(covered);
        if (covered.length > 0) expect(left >= 0n).toBe(true);
        if (covered.some(({ wallet }) => wallet === former)) expect(left >= gasReserve).toBe(true);
      }),
    );
  });
});
