import { describe, expect, it } from '@jest/globals';
import { anAddress, anAddressBook, aHash, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { OwedDelivery, OwedTerms } from '@causeway/store';
import { zeroAddress } from 'viem';
import { findPaidBefore, judgeDelivery, judgeOwed, mayJudge, type ReadState } from './judge-delivery.js';

const book = anAddressBook();
const recipient = anAddress('recipient');

const owed = (over: Partial<OwedTerms> = {}): OwedTerms => ({
  asset: 'USDC',
  recipient,
  outputAmount: 990n,
  fee: 10n,
  destinationChainId: ETHEREUM,
  ...over,
});

function aRelease(args: Record<string, string> = {}, over: Partial<OwedDelivery> = {}): OwedDelivery {
  const delivery = {
    chainId: ETHEREUM,
    txHash: aHash(),
    logIndex: 0,
    blockNumber: 7n,
    blockHash: aHash(),
    minedAt: new Date(1_000_000),
    name: 'Release' as const,
    operationId: aHash(),
    args: { token: book.ethereum.tokens.USDC.toLowerCase(), recipient, amount: '990', fee: '10', ...args },
  };
  return { delivery, owed: owed(), hasFailed: false, isRepeated: false, ...over };
}

const judge = (entry: OwedDelivery) => judgeDelivery(entry, book, 'ethereum');

describe('judgeDelivery', () => {
  it('matches a delivery that pays its operation exactly', () => {
    expect(judge(aRelease())).toEqual({ kind: 'matched' });
  });

  it('rejects a delivery without an operation', () => {
    expect(judge(aRelease({}, { owed: null }))).toEqual({
      kind: 'unknown',
      why: 'there is no operation with its id',
    });
  });

  it.each([
    ['token', { token: book.ethereum.tokens.XCN.toLowerCase() }],
    ['recipient', { recipient: anAddress('thief') }],
    ['amount', { amount: '991' }],
    ['fee', { fee: '9' }],
  ])('rejects a delivery with another %s', (field, args) => {
    expect(judge(aRelease(args))).toMatchObject({ kind: 'unknown', why: expect.stringContaining(`${field} `) });
  });

  it('rejects a delivery on the wrong chain', () => {
    const entry = aRelease({}, { owed: owed({ destinationChainId: PARTNER }) });
    expect(judge(entry)).toMatchObject({ why: expect.stringContaining(`chain ${ETHEREUM} instead of ${PARTNER}`) });
  });

  it('ignores the fee of a mint, which has none', () => {
    const entry = aRelease({ token: book.partner.tokens.USDC.toLowerCase() });
    const { fee: _, ...args } = entry.delivery.args;
    const delivery = { ...entry.delivery, chainId: PARTNER, name: 'Mint' as const, args };
    const mint = { delivery, owed: owed({ fee: 0n, destinationChainId: PARTNER }) };
    expect(judgeDelivery(mint, book, 'partner')).toEqual({ kind: 'matched' });
  });

  const refunded = (args: Record<string, string> = {}, over: Partial<OwedDelivery> = {}) => {
    const { delivery } = aRelease({ token: zeroAddress, fee: '0', ...args });
    const entry = { ...delivery, chainId: PARTNER, name: 'Refunded' as const };
    const signed = owed({ asset: 'XCN', fee: 0n, destinationChainId: PARTNER });
    return judgeDelivery({ delivery: entry, owed: signed, ...over }, book, 'partner');
  };

  it('matches a refund with its signed terms', () => {
    expect(refunded()).toEqual({ kind: 'matched' });
  });

  it.each<[string, ReturnType<typeof refunded>, string]>([
    ['that no operators approved', refunded({}, { owed: null }), 'no refund with its id was approved'],
    ['to another recipient', refunded({ recipient: anAddress('thief') }), 'differs from its refund: recipient'],
    ['of more', refunded({ amount: '991' }), 'differs from its refund: amount'],
    ['of another token', refunded({ token: book.partner.tokens.USDC.toLowerCase() }), 'token'],
  ])('rejects a refund %s', (_, judgement, why) => {
    expect(judgement).toMatchObject({ kind: 'unknown', why: expect.stringContaining(why) });
  });
});

describe('judgeOwed', () => {
  it.each([
    [{}, { kind: 'matched' }],
    [{ hasFailed: true }, { kind: 'unknown', why: expect.stringContaining('FAILED') }],
    [{ isRepeated: true }, { kind: 'unknown', why: expect.stringContaining('paid before') }],
  ])('of a delivery with the terms of its operation that is %o', (over, expected) => {
    expect(judgeOwed(aRelease({}, over), book, 'ethereum')).toEqual(expected);
  });
});

describe('findPaidBefore', () => {
  const right = aRelease();
  const { operationId } = right.delivery;
  it.each([
    ['was paid with its own terms', [right], [8n, 0], operationId],
    ['was paid so in the same block', [right], [7n, 1], operationId],
    ['was only paid after it', [right], [7n, 0], null],
    ['was paid with other terms', [aRelease({ amount: '1' })], [8n, 0], null],
    ['belongs to no operation yet', [aRelease({}, { owed: null })], [8n, 0], null],
    [
      'was paid with other terms, and refunded',
      [aRelease({ fee: '0' }, { hasFailed: true })],
      [8n, 0],
      expect.any(String),
    ],
  ] as const)('of an opening of a number that %s', (_, entries, [blockNumber, logIndex], expected) => {
    expect(findPaidBefore({ blockNumber, logIndex }, entries, book, 'ethereum')).toEqual(expected);
  });
});

describe('mayJudge', () => {
  const atHead = (readUntilMs: number): ReadState => ({ blocksBehind: 1, readUntilMs });
  const delivery = { minedAt: new Date(1_000_000) };

  it.each([
    ['both chains are read past the delivery', atHead(1_000_000), atHead(1_000_000), true],
    ['the origin chain is not read up to its time', atHead(1_000_000), atHead(999_999), false],
    ['a chain is a busy minute behind', { blocksBehind: 50, readUntilMs: 2_000_000 }, atHead(2_000_000), true],
    ['the destination catches up', { blocksBehind: 51, readUntilMs: 2_000_000 }, atHead(2_000_000), false],
    ['the origin catches up', atHead(2_000_000), { blocksBehind: 900_000, readUntilMs: 2_000_000 }, false],
    ['a chain was never read', atHead(2_000_000), null, false],
  ])('when %s', (_, destination, origin, expected) => {
    expect(mayJudge(delivery, destination, origin)).toBe(expected);
  });
});
