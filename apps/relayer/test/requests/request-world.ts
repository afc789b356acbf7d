import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { lower } from '@causeway/chain';
import { computeRefundId } from '@causeway/protocol';
import { requestDeployment, requestDigest, computeVersion, type RequestTerms } from '@causeway/protocol/admin';
import { openStore, type AdminRequest, type Fence, type Store } from '@causeway/store';
import { aBlock, aDeposit, aTransfer, opening } from '@causeway/store/test';
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
import { RequestStage } from '../../src/requests/request-stage.js';
import { makeTables } from '../make-tables.js';

// Operators' requests on a real database, carried out by the relayer's stage. The nodes are scripted. Each test file
// that imports this module has its own database.

const newKey = () => privateKeyToAccount(generatePrivateKey());
/** Two operators, a stranger, and two root admins. */
const [first, second, stranger, admin, otherAdmin] = Array.from({ length: 5 }, newKey) as [Key, Key, Key, Key, Key];
type Key = ReturnType<typeof newKey>;
export { admin, first, otherAdmin, stranger };
export const CHAINS = { ethereum: ETHEREUM, partner: PARTNER };
/** The relayer wallet on the partner chain. */
export const WALLET = { chainId: PARTNER, address: anAddress('relayer') };
const book = anAddressBook();
const configuration = {
  addressBook: book,
  wallets: [WALLET.address],
  approvals: {
    operators: [first, second].map(({ address }) => lower(address)),
    rootAdmins: [admin, otherAdmin].map(({ address }) => lower(address)),
    oneApprovalUpTo: { ETH: 0n, USDC: 0n, XCN: 100n },
  },
};

let database: PostgresServer;
/** The relayer's store on this file's database, a superuser's connections to it, and the lease. */
export let store: Store;
export let sql: Pool;
export let fence: Fence;
/** Whether the nodes answer, and whether they have the blocks that were read. */
export const nodes = { answer: true, hasBlocks: true };
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
/** Runs the stage once. */
export const run = async (by = fence) => stage().run(by);
/** The state of a stored request. */
export const readState = async (id: Hex) => (await store.requests.find(id))?.state;
/** The rows of the audit log about the end of a request. */
export async function readEnds(id: Hex): Promise<string[]> {
  const { rows } = await sql.query<{ action: string }>(
    `SELECT action FROM admin_audit WHERE after->>'requestId' = $1 AND after->>'state' IN ('DONE', 'REFUSED', 'EXPIRED')`,
    [id],
  );
  return rows.map(({ action }) => action);
}

/** How a test's request differs from an honest one. */
export interface Ask {
  readonly by?: readonly Key[];
  readonly version?: Hex;
  readonly validUntil?: number;
  /** What is signed instead of the stored fields. */
  readonly signed?: Partial<Parameters<typeof requestDigest>[1]>;
  readonly needed?: number;
}

/** Stores a request like the API, with these people's signatures. */
export async function ask(terms: RequestTerms, over: Ask = {}): Promise<AdminRequest> {
  const { by = [], needed = by.length } = over;
  const snapshot = await store.requests.readSnapshot(terms, CHAINS);
  const version = over.version ?? computeVersion(snapshot);
  const validUntil = over.validUntil ?? Math.floor(Date.now() / 1_000) + 900;
  const request = { id: aHash(), terms, decidedOn: snapshot, reason: 'a test', version, validUntil };
  const hash = requestDigest(requestDeployment(book), { ...request, ...over.signed });
  const now = new Date();
  const requestedBy = lower((by[0] ?? first).address);
  const step = { actor: { address: requestedBy, role: 'operator', sessionId: null }, now } as const;
  const [own, ...others] = await Promise.all(
    by.map(async (key) => ({ operator: lower(key.address), signature: await key.sign({ hash }) })),
  );
  const { kind } = await store.requests.create({ ...request, requestedBy, approvalsNeeded: needed }, own ?? null, step);
  expect(kind).toBe('created');
  for (const approval of others) await store.requests.approve(request.id, approval, step);
  expect(await readState(request.id)).toBe('QUEUED');
  return (await store.requests.find(request.id))!;
}

/** Runs the stage and expects the request to be done once, with one row of the audit log. */
export async function done(terms: RequestTerms, over: Ask = {}): Promise<AdminRequest> {
  const { id } = await ask(terms, over);
  expect(await run()).toBe(true);
  expect(await run()).toBe(false);
  const request = (await store.requests.find(id))!;
  expect(request).toMatchObject({ state: 'DONE', outcome: expect.any(String), endedAt: expect.any(Date) });
  expect(await readEnds(id)).toEqual([terms.kind.toLowerCase().replace('_', '-')]);
  return request;
}

/** Stores the next block of a chain. */
export async function mine(chainId: number, over: Parameters<typeof aBlock>[1] = {}) {
  const block = aBlock((await store.scan.cursor(chainId))!.nextBlock, over);
  await store.scan.extend(fence, chainId, [block], block.number);
  return block;
}

/** A refund that waits for a decision. */
export async function requested(amount = 1_000n) {
  const transfer = aTransfer({ amount });
  const block = await mine(PARTNER, { transfers: [transfer] });
  const unmatched = await store.refunds.findUnmatched(PARTNER, block.number);
  const final = unmatched.map((arrival) => ({ ...arrival, finalizedAt: block.timestamp, confirmations: 6 }));
  await store.refunds.failArrivals(fence, final, CHAINS);
  return (await store.refunds.find(computeRefundId({ chainId: PARTNER, ...transfer })))!;
}

/** A deposit that is final. */
export async function due() {
  const terms = aDeposit();
  const { hash: blockHash, timestamp: finalizedAt } = await mine(ETHEREUM, { events: [opening(terms)] });
  const finality = { blockHash, confirmations: terms.requiredConfirmations, finalizedAt, holdUntil: null };
  await store.operations.finalizeAll(fence, [{ operationId: terms.id, ...finality }]);
  return terms.id;
}

/** A deposit that waits for its next attempt. */
export async function delayed() {
  const operationId = await due();
  const nextAttemptAt = new Date(Date.now() + 600_000);
  await store.operations.delayAll(fence, [{ operationId, reason: 'FLOAT_SHORT', nextAttemptAt }]);
  return operationId;
}

/** The approval of a refund to its payer. */
export const refundTerms = ({
  id: refundId,
  payer,
  amount,
}: {
  id: Hex;
  payer: Address;
  amount: bigint;
}): RequestTerms => ({
  kind: 'REFUND_APPROVE',
  refundId,
  recipient: payer,
  amount: amount.toString(),
});
/** Signed by both operators. */
export const BOTH = { by: [first, second] } as const;
