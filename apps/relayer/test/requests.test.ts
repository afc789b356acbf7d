import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { computeRefundId } from '@causeway/protocol';
import { requestDeployment, requestDigest, computeVersion, type RequestTerms } from '@causeway/protocol/admin';
import { FenceLostError, openStore, type AdminRequest, type Fence, type Store } from '@causeway/store';
import { aBlock, aDeposit, anIntent, aSignature, aTransfer, CLIENT, opening } from '@causeway/store/test';
import {
  aHash,
  anAddress,
  anAddressBook,
  ETHEREUM,
  PARTNER,
  loginUrl,
  temporaryDatabase,
  type PostgresServer,
} from '@causeway/test-kit';
import { Pool } from 'pg';
import { pino } from 'pino';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { RequestStage } from '../src/requests/request-stage.js';
import { makeTables } from './make-tables.js';

// Requests of operators on a real database, carried out by the stage of the relayer. The nodes are scripted.

const newKey = () => privateKeyToAccount(generatePrivateKey());
const [first, second, stranger, admin, otherAdmin] = Array.from({ length: 5 }, newKey) as [Key, Key, Key, Key, Key];
type Key = ReturnType<typeof newKey>;
const lower = ({ address }: Key) => address.toLowerCase() as Address;
const CHAINS = { ethereum: ETHEREUM, partner: PARTNER };
const WALLET = { chainId: PARTNER, address: anAddress('relayer') };
const book = anAddressBook();
const configuration = {
  addressBook: book,
  wallets: [WALLET.address],
  approvals: {
    operators: [first, second].map(lower),
    rootAdmins: [admin, otherAdmin].map(lower),
    oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 100n },
  },
};

let database: PostgresServer;
let store: Store;
let sql: Pool;
let fence: Fence;
/** The state of the nodes: whether they answer, and whether they have the blocks that were read. */
const nodes = { answer: true, hasBlocks: true };
const clock = { now: () => Date.now() };

beforeAll(async () => {
  database = await temporaryDatabase(makeTables);
  store = openStore({ databaseUrl: loginUrl(database.url, 'causeway_relayer'), onIdleError: () => undefined });
  sql = new Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => undefined);
  fence = (await store.lease.acquire('relayer', 'test', 600_000))!;
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
});
beforeEach(() => {
  nodes.answer = true;
  nodes.hasBlocks = true;
});
afterAll(async () => {
  await store.close();
  await sql.end();
  await database.stop();
});

function scripted(side: 'ethereum' | 'partner', chainId: number) {
  const answering = () => {
    if (!nodes.answer) throw new Error('no node answers');
  };
  const connection = {
    agreedBlock: async (number: bigint) => {
      answering();
      const block = await store.scan.block(chainId, number);
      return nodes.hasBlocks ? block : null;
    },
    client: { getTransactionCount: async () => (answering(), 0) },
  };
  return { side, chainId, connection, confirmations: 1, finality: { isFinal: async () => (answering(), false) } };
}
const chains = { ethereum: scripted('ethereum', ETHEREUM), partner: scripted('partner', PARTNER) };

const stage = () => new RequestStage(chains as never, store, configuration as never, clock, pino({ level: 'silent' }));
const run = async (by = fence) => stage().run(by);
const readState = async (id: Hex) => (await store.requests.find(id))?.state;
/** The rows of the audit log that say what became of a request. */
async function readEnds(id: Hex): Promise<string[]> {
  const { rows } = await sql.query<{ action: string }>(
    `SELECT action FROM admin_audit WHERE after->>'requestId' = $1 AND after->>'state' IN ('DONE', 'REFUSED', 'EXPIRED')`,
    [id],
  );
  return rows.map(({ action }) => action);
}

/** How a test departs from an honest request. */
interface Ask {
  readonly by?: readonly Key[];
  readonly version?: Hex;
  readonly validUntil?: number;
  /** Signs something else than the stored one. */
  readonly signed?: Partial<Parameters<typeof requestDigest>[1]>;
  readonly needed?: number;
}

/** Stores a request as the API does, with the signatures of these people. */
async function ask(terms: RequestTerms, over: Ask = {}): Promise<AdminRequest> {
  const { by = [], needed = by.length } = over;
  const snapshot = await store.requests.readSnapshot(terms, CHAINS);
  const version = over.version ?? computeVersion(snapshot);
  const validUntil = over.validUntil ?? Math.floor(Date.now() / 1_000) + 900;
  const request = { id: aHash(), terms, decidedOn: snapshot, reason: 'a test', version, validUntil };
  const hash = requestDigest(requestDeployment(book), { ...request, ...over.signed });
  const now = new Date();
  const requestedBy = lower(by[0] ?? first);
  const step = { actor: { address: requestedBy, role: 'operator', sessionId: null }, now } as const;
  const [own, ...others] = await Promise.all(
    by.map(async (key) => ({ operator: lower(key), signature: await key.sign({ hash }) })),
  );
  const { kind } = await store.requests.create({ ...request, requestedBy, approvalsNeeded: needed }, own ?? null, step);
  expect(kind).toBe('created');
  for (const approval of others) await store.requests.approve(request.id, approval, step);
  expect(await readState(request.id)).toBe('QUEUED');
  return (await store.requests.find(request.id))!;
}

/** Runs the stage and expects that the request is done, once, with one row of the audit log. */
async function done(terms: RequestTerms, over: Ask = {}): Promise<AdminRequest> {
  const { id } = await ask(terms, over);
  expect(await run()).toBe(true);
  expect(await run()).toBe(false);
  const request = (await store.requests.find(id))!;
  expect(request).toMatchObject({ state: 'DONE', outcome: expect.any(String), endedAt: expect.any(Date) });
  expect(await readEnds(id)).toEqual([terms.kind.toLowerCase().replace('_', '-')]);
  return request;
}

/** Runs the stage and expects that it refuses the request. Returns why. */
async function refused(terms: RequestTerms, over: Ask = {}): Promise<string> {
  const { id } = await ask(terms, over);
  await run();
  const { state, outcome } = (await store.requests.find(id))!;
  expect(state).toBe('REFUSED');
  expect(await readEnds(id)).toEqual(['request-refused']);
  return outcome ?? '';
}

async function mine(chainId: number, over: Parameters<typeof aBlock>[1] = {}) {
  const block = aBlock((await store.scan.cursor(chainId))!.nextBlock, over);
  await store.scan.extend(fence, chainId, [block], block.number);
  return block;
}

async function requested(amount = 1_000n) {
  const transfer = aTransfer({ amount });
  const block = await mine(PARTNER, { transfers: [transfer] });
  const unmatched = await store.refunds.findUnmatched(PARTNER, block.number);
  const final = unmatched.map((arrival) => ({ ...arrival, finalizedAt: block.timestamp, confirmations: 6 }));
  await store.refunds.failArrivals(fence, final, CHAINS);
  return (await store.refunds.find(computeRefundId({ chainId: PARTNER, ...transfer })))!;
}

/** A deposit that is final. */
async function due() {
  const terms = aDeposit();
  const { hash: blockHash, timestamp: finalizedAt } = await mine(ETHEREUM, { events: [opening(terms)] });
  const finality = { blockHash, confirmations: terms.requiredConfirmations, finalizedAt, holdUntil: null };
  await store.operations.finalizeAll(fence, [{ operationId: terms.id, ...finality }]);
  return terms.id;
}

async function delayed() {
  const operationId = await due();
  const nextAttemptAt = new Date(Date.now() + 600_000);
  await store.operations.delayAll(fence, [{ operationId, reason: 'FLOAT_SHORT', nextAttemptAt }]);
  return operationId;
}

const refundTerms = ({ id: refundId, payer, amount }: { id: Hex; payer: Address; amount: bigint }): RequestTerms => ({
  kind: 'REFUND_APPROVE',
  refundId,
  recipient: payer,
  amount: amount.toString(),
});
const BOTH = { by: [first, second] } as const;

describe('a request is carried out once', () => {
  it('RETRY ends the pause of an operation, and says that the cause still holds', async () => {
    const operationId = await delayed();
    const { outcome } = await done({ kind: 'RETRY', operationId });
    expect(outcome).toContain('It waits as FLOAT_SHORT: it is delivered only once that cause is gone');
    expect(await store.operations.findById(operationId)).toMatchObject({ nextAttemptAt: null });
  });

  it('CANCEL marks the call of a delivery whose origin is gone', async () => {
    const operationId = await due();
    const nonce = await store.journal.nextNonce(WALLET);
    const call = { nonce, to: anAddress('mint'), data: '0x01', value: 0n, transaction: aSignature(nonce) } as const;
    await store.journal.record(fence, WALLET, [
      { ...call, subject: { purpose: 'DELIVERY', operationIds: [operationId] } },
    ]);
    await done({ kind: 'CANCEL', operationId }, BOTH);
    expect(await store.journal.findPending(operationId)).toMatchObject({ isCancelled: true });
  });

  it('HALT and RESUME stop and continue a chain', async () => {
    await done({ kind: 'HALT', target: 'partner' });
    expect(await store.halts.list()).toMatchObject([{ chainId: PARTNER, reason: 'a test' }]);
    await done({ kind: 'RESUME', target: 'partner', accept: 'nothing' });
    expect(await store.halts.list()).toEqual([]);
  });

  it('HALT and RESUME stop and continue the deliveries', async () => {
    await done({ kind: 'HALT', target: 'deliveries' });
    expect(await store.halts.deliveries()).toMatchObject({ reason: 'a test' });
    await done({ kind: 'RESUME', target: 'deliveries', accept: 'unknown' }, BOTH);
    expect(await store.halts.deliveries()).toBeNull();
  });

  it('REFUND_APPROVE and REFUND_REFUSE decide about a refund', async () => {
    const refund = await requested();
    const { id } = await done(refundTerms(refund), BOTH);
    expect(await store.refunds.find(refund.id)).toMatchObject({
      status: 'APPROVED',
      recipient: refund.payer,
      approvedBy: id,
    });
    await done({ kind: 'REFUND_REFUSE', refundId: refund.id }, BOTH);
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REFUSED' });
    // A small one, with one approval.
    await done(refundTerms(await requested(100n)), { by: [first] });
  });

  it('INTENT_REJECT marks an intent, which fails when its transfer is final', async () => {
    const { id, sender, ...terms } = anIntent();
    const keys = {
      nonce: aHash(),
      idempotencyKey: aHash(),
      deadlineSeconds: 2_000_000_000n,
      signature: '0x01',
    } as const;
    const expiresAt = new Date(2_000_000_000_000);
    await store.intents.register({ id, sender, ...terms }, { id, sender, ...keys, ...CLIENT, expiresAt });
    const request = await done({ kind: 'INTENT_REJECT', intentId: id }, BOTH);
    expect(await store.intents.find(id)).toMatchObject({ rejectedBy: request.id });
  });

  it('MEMBER_SET and MEMBER_REMOVE change the allow-list, with the signed request in the row', async () => {
    const address = anAddress();
    const by = [admin, otherAdmin];
    const { id, approvals } = await done({ kind: 'MEMBER_SET', address, role: 'operator' }, { by });
    const member = await store.adminMembers.find(address);
    expect(member).toMatchObject({ role: 'operator', requestId: id, request: { id, decidedOn: { role: null } } });
    expect(member?.approvals).toEqual(approvals.map(({ operator, signature }) => ({ operator, signature })));
    await done({ kind: 'MEMBER_REMOVE', address }, { by });
    expect(await store.adminMembers.find(address)).toBeNull();
  });
});

describe('a request is refused, and nothing moves', () => {
  it('when the state has changed since it was signed', async () => {
    const refund = await requested();
    expect(await refused(refundTerms(refund), { ...BOTH, version: aHash() })).toContain('changed');
    // Two people decided differently in the same moment: the first decision stands.
    const [one, other] = [
      await ask(refundTerms(refund), BOTH),
      await ask({ kind: 'REFUND_REFUSE', refundId: refund.id }, BOTH),
    ];
    await run();
    expect([await readState(one.id), await readState(other.id)]).toEqual(['DONE', 'REFUSED']);
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'APPROVED' });
  });

  it.each<readonly [string, Ask]>([
    ['one operator alone', { by: [first] }],
    ['no operator', { by: [], needed: 0 }],
    ['an operator and a stranger', { by: [first, stranger] }],
    ['people who signed another recipient', { ...BOTH, signed: { terms: { kind: 'HALT', target: 'ethereum' } } }],
    ['people who signed another id', { ...BOTH, signed: { id: aHash() } }],
    ['people who signed another end', { ...BOTH, signed: { validUntil: 1 } }],
    ['people who signed words of another state', { ...BOTH, signed: { decidedOn: { about: 'nothing' } } }],
    ['admins of the console who are not operators', { by: [admin, otherAdmin] }],
  ])('when it is signed by %s', async (_, over) => {
    const refund = await requested();
    expect(await refused(refundTerms(refund), over)).toContain('must sign');
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REQUESTED', approvedBy: null });
  });

  it('when it names another recipient than the payer, with one signature', async () => {
    const refund = await requested(100n);
    const terms = { ...refundTerms(refund), recipient: anAddress() } as RequestTerms;
    expect(await refused(terms, { by: [first] })).toContain('2 people');
  });

  it('when operators who are not root admins want to add a member', async () => {
    const address = anAddress();
    expect(await refused({ kind: 'MEMBER_SET', address, role: 'admin' }, BOTH)).toContain('ADMIN_ALLOW_LIST');
    expect(await store.adminMembers.find(address)).toBeNull();
  });

  it('when its approvals are valid for longer than 15 minutes', async () => {
    const validUntil = Math.floor(Date.now() / 1_000) + 3_600;
    expect(await refused(refundTerms(await requested()), { ...BOTH, validUntil })).toContain('15 minutes');
  });

  it('while the nodes do not have the blocks that were read', async () => {
    await done({ kind: 'HALT', target: 'ethereum' });
    nodes.hasBlocks = false;
    const { id } = await ask({ kind: 'RESUME', target: 'ethereum', accept: 'nothing' });
    await run().catch(() => undefined);
    expect(await readState(id)).not.toBe('DONE');
    expect(await store.halts.list()).toHaveLength(1);
    nodes.hasBlocks = true;
    for (const halt of await store.halts.list()) await store.halts.lift(halt);
    await run();
  });

  it('when a writer of the database queued it, or queued an unreadable request', async () => {
    const refund = await requested();
    const version = computeVersion(await store.requests.readSnapshot(refundTerms(refund), CHAINS));
    const write = async (terms: unknown, state: unknown = { about: 'nothing' }) => {
      const id = aHash();
      await sql.query(
        `INSERT INTO admin_request (id, terms, reason, version, decided_on, requested_by, approvals_needed, valid_until, state, created_at)
         VALUES ($1, $2, 'forged', $3, $4, $5, 0, now() + interval '10 minutes', 'QUEUED', now())`,
        [id, JSON.stringify(terms), version, JSON.stringify(state), lower(first)],
      );
      return id;
    };
    const refusal = { kind: 'REFUND_REFUSE', refundId: refund.id };
    const ids = [await write(refundTerms(refund)), await write(refusal, {}), await write({ kind: 'PAY_ME' })];
    await run();
    for (const id of ids) expect(await readState(id)).toBe('REFUSED');
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REQUESTED' });
  });

  it('and EXPIRED when its time is over, although it is signed', async () => {
    const refund = await requested();
    const validUntil = Math.floor(Date.now() / 1_000) - 1;
    const { id } = await ask(refundTerms(refund), { by: [first], validUntil });
    await run();
    expect(await store.requests.find(id)).toMatchObject({ state: 'EXPIRED' });
    expect(await store.refunds.find(refund.id)).toMatchObject({ status: 'REQUESTED' });
  });
});

describe('a request survives', () => {
  it('nodes that do not answer: it waits, and a halt does not wait for it', async () => {
    await done({ kind: 'HALT', target: 'partner' });
    nodes.answer = false;
    const resume = await ask({ kind: 'RESUME', target: 'partner', accept: 'nothing' });
    const halt = await ask({ kind: 'HALT', target: 'ethereum' });
    await expect(run()).rejects.toThrow('no node answers');
    expect([await readState(resume.id), await readState(halt.id)]).toEqual(['QUEUED', 'DONE']);
    nodes.answer = true;
    await run();
    expect(await readState(resume.id)).toBe('DONE');
    for (const each of await store.halts.list()) await store.halts.lift(each);
  });

  it('a takeover: the former relayer carries nothing out any more, the new one does it once', async () => {
    const operationId = await delayed();
    const { id } = await ask({ kind: 'RETRY', operationId });
    const former = { ...fence, token: fence.token - 1n };
    await expect(run(former)).rejects.toThrow(FenceLostError);
    expect(await readState(id)).toBe('QUEUED');
    // Two stages of the same holder in one moment: one of them carries it out.
    await Promise.all([run(), run()]);
    expect(await readState(id)).toBe('DONE');
    expect(await readEnds(id)).toEqual(['retry']);
  });
});

describe('the audit log', () => {
  it('is whole after all of that', async () => {
    expect((await store.adminAudit.verify()).broken).toBeNull();
  });
});

describe('the database', () => {
  it('keeps what was signed, and what has ended', async () => {
    const { id } = await done(refundTerms(await requested()), BOTH);
    const change = async (text: string) => sql.query(text, [id]);
    for (const text of [
      `UPDATE admin_request SET state = 'QUEUED' WHERE id = $1`,
      `UPDATE admin_request SET terms = '{}' WHERE id = $1`,
      `DELETE FROM admin_request WHERE id = $1`,
      `DELETE FROM admin_approval WHERE request_id = $1`,
      `UPDATE admin_approval SET operator = signature WHERE request_id = $1`,
    ])
      await expect(change(text)).rejects.toThrow(/not allowed|do not change/);
  });
});
