import { describe, expect, it } from '@jest/globals';
import {
  requestDeployment,
  requestDigest,
  computeVersion,
  type RequestSnapshot,
  type RequestTerms,
} from '@causeway/protocol/admin';
import type { AdminRequest, Fence } from '@causeway/store';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { RequestStage } from './request-stage.js';

// The terms that approvers must sign. `test/requests/carried-out.test.ts` carries out every kind of request on a real
// database.
// database.

const FENCE: Fence = { name: 'relayer', token: 1n };
const NOW_MS = 1_000_000;
const book = anAddressBook();
const deployment = requestDeployment(book);
const accounts = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key));
const people = accounts.map(({ address }) => address.toLowerCase() as Address);

const payer = anAddress();
const AMOUNT = (6_000n * 10n ** 18n).toString();
const REFUND = {
  about: 'refund',
  status: 'REQUESTED',
  operationId: aHash(),
  chainId: PARTNER,
  asset: 'XCN',
  amount: AMOUNT,
  payer,
  recipient: null,
} as const satisfies RequestSnapshot;
const APPROVE: RequestTerms = { kind: 'REFUND_APPROVE', refundId: aHash(), recipient: payer, amount: AMOUNT };
const MEMBER: RequestSnapshot = { about: 'member', role: null };
const SET: RequestTerms = { kind: 'MEMBER_SET', address: anAddress(), role: 'operator' };

type Signed = Parameters<typeof requestDigest>[1] & { readonly version: Hex };

/** A queued request whose digest two operators signed. */
async function queued(
  terms: RequestTerms,
  decidedOn: RequestSnapshot,
  computeDigest: (request: Signed) => Hex,
): Promise<AdminRequest> {
  const validUntil = NOW_MS / 1_000 + 600;
  const request = { id: aHash(), terms, decidedOn, version: computeVersion(decidedOn), reason: 'a test', validUntil };
  const hash = computeDigest(request);
  const approvals = await Promise.all(
    accounts.map(async (account, index) => ({
      operator: people[index]!,
      signature: await account.sign({ hash }),
      createdAt: new Date(0),
    })),
  );
  const row = { requestedBy: people[0]!, approvalsNeeded: 2, state: 'QUEUED', outcome: null, endedAt: null } as const;
  return { ...request, ...row, createdAt: new Date(0), approvals };
}

/** Runs the stage on one request, in a database with this state. Returns how the request ended. */
async function runStage(
  request: AdminRequest,
  state: RequestSnapshot,
  objection: string | null = null,
): Promise<string> {
  const ends: string[] = [];
  const requests = {
    findOverdue: async () => [],
    findQueued: async () => [request],
    readSnapshot: async () => state,
    findObjection: async () => objection,
    carryOut: async () => (ends.push('done'), 'done'),
    end: async (_: Fence, __: Hex, end: { readonly outcome: string }) => ends.push(end.outcome) > 0,
  };
  const stage = new RequestStage(
    { ethereum: { chainId: ETHEREUM }, partner: { chainId: PARTNER } } as never,
    { requests } as never,
    {
      addressBook: book,
      approvals: { operators: people, rootAdmins: people, oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 0n } },
    } as never,
    { now: () => NOW_MS },
    pino({ level: 'silent' }),
  );
  await stage.run(FENCE);
  return ends.join(', ');
}

const byWords = (request: Signed) => requestDigest(deployment, request);

describe('a queued request', () => {
  it.each<readonly [string, RequestTerms, RequestSnapshot]>([
    ['a refund', APPROVE, REFUND],
    ['a member', SET, MEMBER],
  ])('about %s is carried out if its exact terms are signed, and refused otherwise', async (_, ...given) => {
    const [terms, state] = given;
    expect(await runStage(await queued(terms, state, byWords), state)).toBe('done');
    expect(await runStage(await queued(terms, state, byWords), state, 'A release may have paid it')).toBe(
      'A release may have paid it',
    );
    const refusal = await runStage(await queued(terms, state, () => aHash()), state);
    expect(refusal).toContain('2 people must sign it, and 0 valid signatures count');
  });

  it('is refused when the signed text follows from another state', async () => {
    const inDollars = (request: Signed) =>
      requestDigest(deployment, { ...request, decidedOn: { ...REFUND, asset: 'USDC' } });
    expect(await runStage(await queued(APPROVE, REFUND, inDollars), REFUND)).toContain('0 valid signatures count');
    const elsewhere = (request: Signed) =>
      requestDigest({ ...deployment, chainIds: { ethereum: PARTNER, partner: ETHEREUM } }, request);
    expect(await runStage(await queued(APPROVE, REFUND, elsewhere), REFUND)).toContain('0 valid signatures count');
  });

  it('ignores the state in its row: a falsified state changes nothing', async () => {
    const request = await queued(APPROVE, REFUND, byWords);
    const falsified: RequestSnapshot = { ...REFUND, asset: 'USDC', amount: '1' };
    expect(await runStage({ ...request, decidedOn: falsified }, REFUND)).toBe('done');
    const signed = await queued(APPROVE, falsified, byWords);
    expect(await runStage(signed, REFUND)).toContain('has changed since');
    expect(await runStage({ ...signed, version: computeVersion(REFUND) }, REFUND)).toContain(
      '0 valid signatures count',
    );
    expect(await runStage({ ...request, decidedOn: null }, REFUND)).toContain('state are invalid');
  });
});
