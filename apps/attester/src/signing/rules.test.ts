import { describe, expect, it } from '@jest/globals';
import { attestationDigest, type AttestedCall } from '@causeway/verifier';
import { hashTypedData, type Hex } from 'viem';
import { findSetProblem } from './chain-state.js';
import { mergeCalls } from './judge-item.js';
import { findExcess } from './limits.js';
import { StartWait } from './start-wait.js';
import { makeTypedData } from './typed-data.js';

const hash = (digit: number): Hex => `0x${digit.toString(16).repeat(64)}`;
const account = (digit: number) => `0x${digit.toString(16).repeat(40)}` as const;

describe('findExcess', () => {
  const limits = new Map([['ETH', { hour: 100n, delivery: 60n }]]);
  const payment = (id: number, amount: bigint, asset = 'ETH', side: 'ethereum' | 'partner' = 'partner') =>
    ({ id: hash(id), amount, asset, side }) as const;
  const past = [
    { ...payment(1, 50n), signedAtMs: 10 },
    { ...payment(1, 50n), signedAtMs: 20 },
    { ...payment(2, 30n, 'ETH', 'ethereum'), signedAtMs: 20 },
  ];
  const record = { signedSince: (sinceMs: number) => past.filter(({ signedAtMs }) => signedAtMs >= sinceMs) };

  it.each([
    ['within both', [payment(3, 50n)], 0, null],
    ['above the limit of a delivery', [payment(3, 61n)], 0, true],
    ['above the limit of an hour', [payment(3, 51n)], 0, false],
    ['above the limit of an hour as a batch', [payment(3, 30n), payment(4, 30n)], 0, false],
    ['again, which counts once', [payment(1, 50n), payment(3, 50n)], 0, null],
    ['after the hour', [payment(3, 60n), payment(4, 40n)], 3_600_021, null],
    ['on the other chain', [payment(3, 60n, 'ETH', 'ethereum')], 0, null],
    ['an asset without a limit', [payment(3, 10n ** 30n, 'XCN')], 0, null],
  ])('%s', (_, payments, nowMs, isFinal) => {
    expect(findExcess(limits, record, payments, nowMs)?.isFinal ?? null).toBe(isFinal);
  });
});

describe('StartWait', () => {
  it('ends by the clocks of both the process and the chain', () => {
    const wait = new StartWait(1_000, 600, false);
    expect(wait.findReason(1_600.5, 2_000n)).toContain('it signs in 1 s');
    expect(wait.findReason(1_601, 1_600n)).toContain('it signs in 1 s');
    expect(wait.findReason(1_601, 1_601n)).toBeNull();
    expect(wait.findReason(1_601)).toBeNull();
  });

  it('ends in local by the clock of the process alone', () => {
    const wait = new StartWait(1_000, 3, true);
    expect(wait.findReason(1_003, 9_999n)).not.toBeNull();
    expect(wait.findReason(1_004, 0n)).toBeNull();
  });
});

describe('findSetProblem', () => {
  const set = (members: number, threshold: number) => ({
    number: 1n,
    members: Array.from({ length: members }, (_, index) => account(index)),
    threshold,
  });
  it('requires membership, and a threshold of more than half', () => {
    expect(findSetProblem(set(3, 2), account(1))).toBeNull();
    expect(findSetProblem(set(3, 2), account(5))).toContain('not a member');
    for (const [members, threshold] of [
      [1, 0],
      [2, 1],
      [4, 2],
    ] as const)
      expect(findSetProblem(set(members, threshold), account(0))).toContain('more than half');
  });
});

describe('the call of a batch', () => {
  const mint = (depositNonce: bigint) =>
    ({
      kind: 'MINT_MANY',
      payments: [{ depositNonce, token: account(1), recipient: account(2), amount: 5n }],
    }) as const;
  const release = {
    kind: 'RELEASE_MANY',
    payments: [{ withdrawNonce: 1n, token: account(1), recipient: account(2), amount: 5n, fee: 1n }],
  } as const;
  const intent = {
    kind: 'RELEASE_INTENT',
    intentId: hash(1),
    transferId: hash(3),
    fee: 3n,
    signature: '0x1234',
  } as const;
  const refund = {
    kind: 'REFUND',
    refundId: hash(2),
    wallet: account(1),
    token: account(0),
    recipient: account(2),
    amount: 7n,
  } as const;

  it('has the payments in order, of one kind', () => {
    expect(mergeCalls('MINT_MANY', [mint(2n), mint(1n)])).toEqual({
      kind: 'MINT_MANY',
      payments: [...mint(2n).payments, ...mint(1n).payments],
    });
    expect(mergeCalls('MINT_MANY', [mint(1n), release])).toBeNull();
    expect(mergeCalls('REFUND', [refund, refund])).toBeNull();
    expect(mergeCalls('RELEASE_MANY', [])).toBeNull();
  });

  it.each<AttestedCall>([mint(1n), release, intent, refund])('has typed data that match its digest: $kind', (call) => {
    const consent = { setNumber: 4n, validUntil: 1_000n };
    const domain = { chainId: 327, contract: account(9) };
    expect(hashTypedData(makeTypedData(call, consent, domain))).toBe(attestationDigest(call, consent, domain));
  });
});
