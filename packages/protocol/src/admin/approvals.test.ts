import { beforeAll, describe, expect, it } from '@jest/globals';
import { getAddress, hashTypedData, type Address, type Hex, type TypedDataDefinition } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { RequestTerms } from './actions/table.js';
import {
  approvalsNeeded,
  countApprovals,
  isMemberApproved,
  requestDigest,
  requestTypedData,
  validity,
  type SignedRequest,
} from './approvals.js';
import { computeVersion } from './request-snapshot-version.js';
import type { RequestSnapshot } from './request-snapshot.js';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const DOMAIN = { name: 'Causeway', version: '1', chainId: 296, verifyingContract: at('5') } as const;
const DEPLOYMENT = { domain: DOMAIN, chainIds: { ethereum: 1, partner: 296 } } as const;
const OTHER = { ...DEPLOYMENT, domain: { ...DOMAIN, chainId: 295 } };
const STATE = {
  about: 'refund',
  status: 'REQUESTED',
  operationId: hash('4'),
  chainId: 296,
  asset: 'XCN',
  amount: '6000000000000000000000',
  payer: at('a'),
  recipient: null,
} as const satisfies RequestSnapshot;
const REQUEST: SignedRequest = {
  id: hash('1'),
  terms: { kind: 'REFUND_APPROVE', refundId: hash('2'), recipient: at('a'), amount: STATE.amount },
  decidedOn: STATE,
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
const digest = requestDigest(DEPLOYMENT, REQUEST);
const by = async ({ operator, sign }: Signer, of = digest) => ({ operator, signature: await sign(of) });

/** The digest of a message that an API gives, as a wallet signs it. */
function walletDigest(typedData: ReturnType<typeof requestTypedData>): Hex {
  return hashTypedData(JSON.parse(JSON.stringify(typedData)) as TypedDataDefinition);
}

describe('requestDigest', () => {
  it('is what a wallet signs of the typed data', () => {
    const typedData = requestTypedData(DEPLOYMENT, REQUEST);
    expect(walletDigest(typedData)).toBe(digest);
    expect(typedData.message.terms).toContain(at('a'));
  });

  it('never changes: signatures under it count later', () => {
    expect(digest).toBe('0xd27ea8457206d6b7388f42b0972127ba3f5ad4fec32c82272b6c10c3d09ee7cd');
  });

  it('has the words first, in the order of the type', () => {
    const { types, message } = requestTypedData(DEPLOYMENT, REQUEST);
    expect(Object.keys(message)).toEqual(types.AdminRequest.map(({ name }) => name));
    expect(Object.entries(message).slice(0, 6)).toEqual([
      ['action', `Refund 6,000 XCN to ${getAddress(at('a'))} on the partner chain`],
      ['amount', '6,000 XCN'],
      ['recipient', getAddress(at('a'))],
      ['chain', 'Partner chain'],
      ['expires', '2033-05-18 03:33 UTC'],
      ['reason', 'sent by mistake'],
    ]);
    expect(message.state).toBe(computeVersion(STATE));
  });

  it.each(['action', 'amount', 'recipient', 'chain', 'expires'] as const)('is not that of another %s', (word) => {
    const { message, ...rest } = requestTypedData(DEPLOYMENT, REQUEST);
    expect(walletDigest({ ...rest, message: { ...message, [word]: 'nothing of importance' } })).not.toBe(digest);
  });

  it.each<readonly [string, Partial<SignedRequest>]>([
    ['id', { id: hash('9') }],
    ['kind', { terms: { kind: 'REFUND_REFUSE', refundId: hash('2') } }],
    ['recipient', { terms: { ...REQUEST.terms, recipient: at('b') } as RequestTerms }],
    ['asset of the state', { decidedOn: { ...STATE, asset: 'ETH' } }],
    // No word shows it: the hash of the state does.
    ['status of the state', { decidedOn: { ...STATE, status: 'APPROVED' } }],
    ['reason', { reason: 'another' }],
    ['end', { validUntil: 2_000_000_001 }],
  ])('changes with the %s', (_, change) => {
    expect(requestDigest(DEPLOYMENT, { ...REQUEST, ...change })).not.toBe(digest);
  });

  it('changes with the deployment', () => {
    expect(requestDigest(OTHER, REQUEST)).not.toBe(digest);
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
    const ofOther = await by(second, requestDigest(OTHER, REQUEST));
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
  const refund = (amount: string): RequestSnapshot => ({ ...STATE, amount });
  const approve = (recipient: Address): RequestTerms => ({
    kind: 'REFUND_APPROVE',
    refundId: hash('2'),
    recipient,
    amount: '100',
  });
  const NOTHING: RequestSnapshot = { about: 'nothing' };
  const LIMITS = { ETH: 0n, USDC: 0n, XCN: 100n };
  const id = { operationId: hash('1') };

  it.each<readonly [RequestTerms, RequestSnapshot, number]>([
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
  const request: SignedRequest = { ...REQUEST, terms, decidedOn: { about: 'member', role: null } };
  const signed = requestDigest(DEPLOYMENT, request);
  const member = async (change: object = {}, of = signed) => ({
    address: at('c'),
    role: 'operator',
    request,
    approvals: [await by(first, of), await by(second, of)],
    ...change,
  });
  const isApproved = async (...[given, admins = LISTED]: [Awaited<ReturnType<typeof member>>, Address[]?]) =>
    isMemberApproved(given, admins, DEPLOYMENT);

  it('accepts what two admins of the configuration signed', async () => {
    expect(await isApproved(await member())).toBe(true);
  });

  it.each([
    ['another role', { role: 'admin' }],
    ['another address', { address: at('d') }],
    ['another request', { request: { ...request, id: hash('7') } }],
    ['another state', { request: { ...request, decidedOn: { about: 'member', role: 'viewer' } } }],
    ['a removal', { request: { ...request, terms: { kind: 'MEMBER_REMOVE', address: at('c') } as const } }],
    ['no approvals', { approvals: [] }],
  ])('refuses %s', async (_, change) => {
    expect(await isApproved(await member(change))).toBe(false);
  });

  it('refuses one admin alone, and people who are no admins of the configuration', async () => {
    expect(await isApproved(await member(), [first.operator])).toBe(false);
    expect(await isApproved(await member(), [stranger.operator])).toBe(false);
  });
});
