import { beforeAll, describe, expect, it } from '@jest/globals';
import { hashTypedData, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  approvalsNeeded,
  countApprovals,
  isMemberApproved,
  requestDigest,
  requestTypedData,
  validity,
  type SignedRequest,
} from './approvals.js';
import type { DecidedOn } from './decided-on.js';
import type { RequestTerms } from './requests.js';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const DOMAIN = { name: 'Causeway', version: '1', chainId: 296, verifyingContract: at('5') } as const;
const OTHER_DOMAIN = { ...DOMAIN, chainId: 295 };
const REQUEST: SignedRequest = {
  id: hash('1'),
  terms: { kind: 'REFUND_APPROVE', refundId: hash('2'), recipient: at('a'), amount: '100' },
  version: hash('3'),
  reason: 'sent by mistake',
  validUntil: 2_000_000_000,
};
const [first, second, stranger] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()].map((key) => {
  const account = privateKeyToAccount(key);
  return { operator: account.address.toLowerCase() as Address, sign: (digest: Hex) => account.sign({ hash: digest }) };
}) as [Signer, Signer, Signer];
interface Signer {
  readonly operator: Address;
  readonly sign: (digest: Hex) => Promise<Hex>;
}
const LISTED = [first.operator, second.operator];
const digest = requestDigest(DOMAIN, REQUEST);
const by = async ({ operator, sign }: Signer, of = digest) => ({ operator, signature: await sign(of) });

describe('requestDigest', () => {
  it('is what a wallet signs of the typed data', () => {
    const { domain, types, message } = JSON.parse(JSON.stringify(requestTypedData(DOMAIN, REQUEST))) as ReturnType<
      typeof requestTypedData
    >;
    const { EIP712Domain: _, ...own } = types;
    const typed = { domain, types: own, primaryType: 'AdminRequest', message } as const;
    expect(hashTypedData(typed as never)).toBe(digest);
    expect(message.terms).toContain(at('a'));
  });

  it.each<readonly [string, Partial<SignedRequest>]>([
    ['id', { id: hash('9') }],
    ['kind', { terms: { kind: 'REFUND_REFUSE', refundId: hash('2') } }],
    ['recipient', { terms: { kind: 'REFUND_APPROVE', refundId: hash('2'), recipient: at('b'), amount: '100' } }],
    ['state', { version: hash('9') }],
    ['reason', { reason: 'another' }],
    ['end', { validUntil: 2_000_000_001 }],
  ])('changes with the %s', (_, change) => {
    expect(requestDigest(DOMAIN, { ...REQUEST, ...change })).not.toBe(digest);
  });

  it('changes with the deployment', () => {
    expect(requestDigest(OTHER_DOMAIN, REQUEST)).not.toBe(digest);
  });
});

describe('countApprovals', () => {
  let valid: Awaited<ReturnType<typeof by>>;
  beforeAll(async () => {
    valid = await by(first);
  });

  it('counts each listed person once', async () => {
    expect(await countApprovals(digest, [valid, valid, await by(second)], LISTED)).toEqual(LISTED);
  });

  it('counts no stranger, no foreign signature, and no signature of something else', async () => {
    const stolen = { operator: second.operator, signature: valid.signature };
    const ofOther = await by(second, requestDigest(OTHER_DOMAIN, REQUEST));
    const malformed = { operator: second.operator, signature: '0x12' as const };
    const given = [valid, await by(stranger), stolen, ofOther, malformed];
    expect(await countApprovals(digest, given, LISTED)).toEqual([first.operator]);
  });

  it('counts no mirrored signature', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const { signature } = valid;
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    const v = signature.endsWith('1b') ? '1c' : '1b';
    const mirrored = `${signature.slice(0, 66)}${s}${v}` as Hex;
    expect(await countApprovals(digest, [{ operator: first.operator, signature: mirrored }], LISTED)).toEqual([]);
  });
});

describe('approvalsNeeded', () => {
  const refund = (amount: string): DecidedOn => ({
    about: 'refund',
    status: 'REQUESTED',
    operationId: hash('4'),
    chainId: 296,
    asset: 'XCN',
    amount,
    payer: at('a'),
    recipient: null,
  });
  const approve = (recipient: Address): RequestTerms => ({
    kind: 'REFUND_APPROVE',
    refundId: hash('2'),
    recipient,
    amount: '100',
  });
  const NOTHING: DecidedOn = { about: 'nothing' };
  const LIMITS = { ETH: 0n, USDC: 0n, XCN: 100n };
  const id = { operationId: hash('1') };

  it.each<readonly [RequestTerms, DecidedOn, number]>([
    [{ kind: 'RETRY', ...id }, NOTHING, 0],
    [{ kind: 'HALT', target: 'ethereum' }, NOTHING, 0],
    [{ kind: 'RESUME', target: 'ethereum', accept: 'nothing' }, NOTHING, 0],
    [{ kind: 'RESUME', target: 'ethereum', accept: 'reorg' }, NOTHING, 2],
    [{ kind: 'RESUME', target: 'deliveries', accept: 'unknown' }, NOTHING, 2],
    [{ kind: 'CANCEL', ...id }, NOTHING, 2],
    [{ kind: 'INTENT_REJECT', intentId: hash('1') }, NOTHING, 2],
    [{ kind: 'MEMBER_SET', address: at('a'), role: 'viewer' }, NOTHING, 2],
    [{ kind: 'MEMBER_REMOVE', address: at('a') }, NOTHING, 2],
    [approve(at('a')), refund('100'), 1],
    [approve(at('a')), refund('101'), 2],
    [approve(at('b')), refund('100'), 2],
    [approve(at('a')), NOTHING, 2],
    [{ kind: 'REFUND_REFUSE', refundId: hash('2') }, refund('100'), 1],
    [{ kind: 'REFUND_REFUSE', refundId: hash('2') }, refund('101'), 2],
  ])('%j on %j: %i', (terms, on, needed) => {
    expect(approvalsNeeded(terms, on, LIMITS)).toBe(needed);
  });
});

describe('validity', () => {
  it.each([
    [1_000, 'valid'],
    [999, 'expired'],
    [1_900, 'valid'],
    [1_931, 'too long'],
  ] as const)('until %i, at 1000: %s', (validUntil, expected) => {
    expect(validity(validUntil, 1_000)).toBe(expected);
  });
});

describe('isMemberApproved', () => {
  const terms = { kind: 'MEMBER_SET', address: at('c'), role: 'operator' } as const;
  const request = { ...REQUEST, terms };
  const member = async (change: object = {}) => ({
    address: at('c'),
    role: 'operator',
    request,
    approvals: [await by(first, requestDigest(DOMAIN, request)), await by(second, requestDigest(DOMAIN, request))],
    ...change,
  });

  it('accepts what two admins of the configuration signed', async () => {
    expect(await isMemberApproved(await member(), LISTED, DOMAIN)).toBe(true);
  });

  it.each([
    ['another role', { role: 'admin' }],
    ['another address', { address: at('d') }],
    ['another request', { request: { ...request, id: hash('7') } }],
    ['a removal', { request: { ...request, terms: { kind: 'MEMBER_REMOVE', address: at('c') } as const } }],
    ['no approvals', { approvals: [] }],
  ])('refuses %s', async (_, change) => {
    expect(await isMemberApproved(await member(change), LISTED, DOMAIN)).toBe(false);
  });

  it('refuses one admin alone, and people who are no admins of the configuration', async () => {
    expect(await isMemberApproved(await member(), [first.operator], DOMAIN)).toBe(false);
    expect(await isMemberApproved(await member(), [stranger.operator], DOMAIN)).toBe(false);
  });
});
