import { describe, expect, it } from '@jest/globals';
import { numberToHex, parseEther, type Address } from 'viem';
import { BOOK, ROLES, simulatedBridge } from '../../simulation/bridge.ts';
import { simulatedMirrors, SimulatedMirror } from '../../simulation/chain/mirror.ts';
import { readArrivals } from '../../simulation/invariants/arrivals.ts';
import { payByMistake, payWallet } from '../../simulation/environment/payments.ts';
import { ENDING, FORWARDER, SMART_ACCOUNTS, USERS } from '../../simulation/environment/people.ts';
import { WAYS } from '../../simulation/environment/schedule.ts';

// The simulation's own reading of arrivals from the blocks, without the relayer's code.

const { relayer } = ROLES;
const amount = parseEther('7');
const UNIT = 10n ** 10n;

describe('a payment of native XCN', () => {
  it.each<[(typeof WAYS)[number], unknown[]]>([
    ['plain', [[0, USERS[0].address, amount]]],
    ['forwarded', [[1, FORWARDER, amount]]],
    ['account', [[1, SMART_ACCOUNTS[0], amount]]],
    // The first account of the bundle pays at 3, and reverts that.
    [
      'bundle',
      [
        [5, SMART_ACCOUNTS[0], amount],
        [7, SMART_ACCOUNTS[2], parseEther('0.01') - UNIT],
      ],
    ],
  ])('arrives by the way "%s" as the mirrors show it', async (way, expected) => {
    const bridge = simulatedBridge();
    const { partner } = bridge;
    const memo = numberToHex(77, { size: 32 });
    const hash = payWallet(bridge, { way, user: 0, amount, memo });
    const before = partner.balanceAt(relayer.address, partner.head.number);
    await partner.mine(partner.head.timestamp + 2);
    const arrivals = readArrivals(partner, 'partner');
    const parts = ({ callIndex, payer, amount: value }: { callIndex: number; payer: Address; amount: bigint }) => [
      callIndex,
      payer,
      value,
    ];
    expect(arrivals.map(parts)).toEqual(expected);
    const sum = arrivals.reduce((total, one) => total + one.amount, 0n);
    expect(partner.balanceAt(relayer.address, partner.head.number) - before).toBe(sum);
    expect(arrivals.every(({ isVisible }) => isVisible)).toBe(true);
    if (way === 'plain') return;
    const mirror = simulatedMirrors([new SimulatedMirror('mirror', partner)], async (_, work) => work());
    const answer = await mirror.transfersIn(hash, [relayer.address]);
    expect(answer.kind === 'found' && answer.transfers.map(parts)).toEqual(arrivals.map(parts));
  });
});

describe('a payment by mistake', () => {
  it.each([
    ['ethereum', 'ETH', 'plain', USERS[0].address, true],
    ['ethereum', 'ETH', 'forwarded', FORWARDER, false],
    ['ethereum', 'ETH', 'ended', USERS[0].address, false],
    ['partner', 'XCN', 'forwarded', FORWARDER, true],
    ['partner', 'XCN', 'ended', USERS[0].address, false],
  ] as const)('on %s, %s, %s, shows its payer %s: %s', async (side, asset, way, payer, isVisible) => {
    const bridge = simulatedBridge();
    const chain = bridge[side];
    const before = chain.balanceAt(BOOK.relayer, chain.head.number);
    payByMistake(bridge, { side, asset, way, user: 0, size: 'usual' }, amount);
    await chain.mine(chain.head.timestamp + 12);
    expect(readArrivals(chain, side)).toMatchObject([{ asset, amount, payer, isVisible }]);
    expect(chain.balanceAt(BOOK.relayer, chain.head.number)).toBe(before + amount);
    expect(chain.balanceAt(ENDING, chain.head.number)).toBe(0n);
  });
});
