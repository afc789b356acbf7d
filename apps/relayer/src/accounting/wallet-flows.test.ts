import { describe, expect, it } from '@jest/globals';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { aHash, anAddress } from '@causeway/test-kit';
import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, zeroAddress, type Address, type Log } from 'viem';
import { computeDifference, computeFee, RangeSize, spentOn, type SentTransaction } from './wallet-flows.js';

const UNIT = 10n ** 10n;
const bridgeMint = anAddress('mint');

function sent(over: Partial<SentTransaction> = {}, receipt: Partial<SentTransaction['receipt']> = {}): SentTransaction {
  return {
    to: anAddress(),
    value: 0n,
    receipt: { status: 'success', gasUsed: 21_000n, effectiveGasPrice: UNIT, logs: [], ...receipt },
    ...over,
  };
}

/** An event of BridgeMint, with an amount that is not indexed. */
function emitted(topics: unknown, amount?: bigint): Log {
  const data = amount === undefined ? '0x' : encodeAbiParameters([{ type: 'uint256' }], [amount]);
  return { address: bridgeMint, topics, data } as unknown as Log;
}

const abi = bridgeMintAbi;
const toppedUp = (amount: bigint) =>
  emitted(encodeEventTopics({ abi, eventName: 'ToppedUp', args: { sender: anAddress() } }), amount);
const swept = (amount: bigint) =>
  emitted(encodeEventTopics({ abi, eventName: 'Swept', args: { transferId: aHash(), amount } }));
const paid = (token: Address) => ({ token, recipient: anAddress() });
const minted = (token: Address, amount: bigint) =>
  emitted(encodeEventTopics({ abi, eventName: 'Mint', args: { depositId: aHash(), ...paid(token) } }), amount);
const refunded = (amount: bigint) =>
  emitted(encodeEventTopics({ abi, eventName: 'Refunded', args: { refundId: aHash(), ...paid(zeroAddress) } }), amount);
const credited = (amount: bigint) =>
  emitted(encodeEventTopics({ abi, eventName: 'Credited', args: { id: aHash(), ...paid(zeroAddress) } }), amount);

const FEE = 21_000n * UNIT;

describe('computeFee', () => {
  it('rounds up to whole units of 8 decimals', () => {
    expect(computeFee({ gasUsed: 21_000n, effectiveGasPrice: UNIT })).toBe(FEE);
    expect(computeFee({ gasUsed: 1n, effectiveGasPrice: 1n })).toBe(UNIT);
    expect(computeFee({ gasUsed: 0n, effectiveGasPrice: 1n })).toBe(0n);
  });
});

describe('spentOn', () => {
  it.each([
    ['a transfer', sent({ value: 5n }), FEE + 5n],
    ['a failed transaction: only its fee', sent({ value: 5n }, { status: 'reverted' }), FEE],
    ['a deployment', sent({ to: null, value: 5n }), FEE + 5n],
    ['a mint paid from the float', sent({ to: bridgeMint }, { logs: [minted(zeroAddress, 8n)] }), FEE],
    ['a top-up', sent({ to: bridgeMint, value: 9n }, { logs: [toppedUp(9n)] }), FEE + 9n],
    ['a sweep', sent({ to: bridgeMint, value: 9n }, { logs: [swept(4n), swept(5n)] }), FEE + 9n],
    ['a refund of coin', sent({ to: bridgeMint, value: 9n }, { logs: [refunded(9n)] }), FEE + 9n],
    [
      'a refund of coin that its recipient rejected',
      sent({ to: bridgeMint, value: 9n }, { logs: [refunded(9n), credited(9n)] }),
      FEE + 9n,
    ],
    [
      'a mint that its recipient rejected',
      sent({ to: bridgeMint, value: 9n }, { logs: [minted(zeroAddress, 9n), credited(9n)] }),
      FEE + 9n,
    ],
    ['gas of less than a unit, rounded up', sent({}, { gasUsed: 1n, effectiveGasPrice: 1n }), UNIT],
    [
      'a batch of mints, of which some were skipped and returned',
      sent({ to: bridgeMint, value: 100n }, { logs: [minted(zeroAddress, 60n), minted(anAddress(), 7n)] }),
      FEE + 60n,
    ],
  ])('%s', (_, transaction, expected) => {
    expect(spentOn([transaction], bridgeMint, 'partner')).toBe(expected);
  });

  it('is exact to the wei on Ethereum, where no call returns its value', () => {
    const transaction = sent({ to: bridgeMint, value: 5n }, { gasUsed: 3n, effectiveGasPrice: 7n });
    expect(spentOn([transaction, transaction], bridgeMint, 'ethereum')).toBe(2n * (21n + 5n));
  });
});

describe('computeDifference', () => {
  it('is the part of the balance change without a record', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), fc.bigInt(), fc.bigInt(), (before, received, spent, other) => {
        const after = before + received - spent + other;
        expect(computeDifference({ before, after, received, spent })).toBe(other);
      }),
    );
  });
});

describe('RangeSize', () => {
  it('doubles from 64 blocks up to 10,000, and halves down to one block', () => {
    const range = new RangeSize();
    const ends = [range.end(0n, 100_000n)];
    for (let step = 0; step < 9; step++) {
      range.grow();
      ends.push(range.end(0n, 100_000n));
    }
    expect(ends).toEqual([64n, 128n, 256n, 512n, 1_024n, 2_048n, 4_096n, 8_192n, 10_000n, 10_000n]);
    range.shrink(7n, 10_007n);
    expect(range.end(7n, 100_000n)).toBe(5_007n);
    range.shrink(7n, 8n);
    expect(range.end(7n, 100_000n)).toBe(8n);
  });

  it('reaches the end, skips no block, and isolates single blocks, however often it is halved', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50_000 }),
        fc.array(fc.nat({ max: 49_999 }), { maxLength: 20 }),
        (last, found) => {
          const range = new RangeSize();
          const changed = new Set(found);
          const single: number[] = [];
          let from = 0;
          for (let steps = 0; from < last; steps++) {
            expect(steps).toBeLessThan(2_000);
            const to = Number(range.end(BigInt(from), BigInt(last)));
            expect(to).toBeGreaterThan(from);
            const hasChange = [...changed].some((block) => block > from && block <= to);
            if (hasChange && to > from + 1) range.shrink(BigInt(from), BigInt(to));
            else {
              if (hasChange) single.push(to);
              range.grow();
              from = to;
            }
          }
          expect(from).toBe(last);
          expect(new Set(single)).toEqual(new Set([...changed].filter((block) => block > 0 && block <= last)));
        },
      ),
    );
  });
});
