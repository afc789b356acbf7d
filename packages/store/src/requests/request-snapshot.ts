import {
  ACTIONS,
  canIntentFail,
  type RequestSnapshot,
  type RequestTerms,
  type TermsAbout,
} from '@causeway/protocol/admin';
import type { Address, Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import type { ChainPair } from '../refunds/fail-operation.js';

type Reader = Prisma.TransactionClient | PrismaClient;
type About = (typeof ACTIONS)[RequestTerms['kind']]['about'];

const NOTHING: RequestSnapshot = { about: 'nothing' };

/** Reads the state that terms are about, by kind of subject. */
const READERS: {
  readonly [Each in About]: (db: Reader, terms: TermsAbout<Each>, chains: ChainPair) => Promise<RequestSnapshot>;
} = {
  operation: (db, { operationId }) => readOperation(db, operationId),
  delivery: (db, { operationId }) => readDelivery(db, operationId),
  halt: (db, terms, chains) =>
    terms.target === 'deliveries' ? readDeliveries(db, terms.kind) : readChain(db, chains[terms.target]),
  refund: (db, { refundId }) => readRefund(db, refundId),
  intent: (db, { intentId }) => readIntent(db, intentId),
  member: async (db, { address }) => {
    const member = await db.adminMember.findUnique({ where: { address } });
    return { about: 'member', role: member?.role ?? null };
  },
};

/**
 * Reads the state that a request with these terms is decided on. It reads only the database, so that the API and the
 * relayer read the same. The relayer queries the nodes separately before it acts.
 *
 * @param db the transaction of the effect, to read both consistently.
 */
export async function readRequestSnapshot(
  db: Reader,
  terms: RequestTerms,
  chains: ChainPair,
): Promise<RequestSnapshot> {
  const read: (db: Reader, terms: never, chains: ChainPair) => Promise<RequestSnapshot> =
    READERS[ACTIONS[terms.kind].about];
  return read(db, terms as never, chains);
}

async function readOperation(db: Reader, id: Hex): Promise<RequestSnapshot> {
  const found = await db.operation.findUnique({ where: { id } });
  if (found === null) return NOTHING;
  const { status, delayedReason, nextAttemptAt } = found;
  return { about: 'operation', status, delayedReason, isPaused: status === 'DELAYED' && nextAttemptAt !== null };
}

async function readDelivery(db: Reader, operationId: Hex): Promise<RequestSnapshot> {
  const operation = await db.operation.findUnique({ where: { id: operationId } });
  if (operation === null) return NOTHING;
  const call = await db.walletCall.findFirst({
    where: { state: 'PENDING', operations: { some: { operationId, freedAt: null } } },
    include: { operations: { orderBy: { position: 'asc' } } },
  });
  if (call === null) return readOperation(db, operationId);
  const { originChainId, destinationChainId } = operation;
  const halts = await db.chainCursor.count({
    where: { chainId: { in: [originChainId, destinationChainId] }, haltedAt: { not: null } },
  });
  return {
    about: 'delivery',
    status: operation.status,
    isHalted: halts > 0,
    chainId: call.chainId,
    sender: call.sender as Address,
    nonce: call.nonce.toString(),
    operationIds: call.operations.map((each) => each.operationId as Hex),
    isCancelled: call.cancelledAt !== null,
  };
}

async function readChain(db: Reader, chainId: number): Promise<RequestSnapshot> {
  const cursor = await db.chainCursor.findUnique({ where: { chainId } });
  return cursor === null ? NOTHING : { about: 'halt', halt: toHalt(cursor.haltedAt, cursor.haltedReason), unknown: [] };
}

async function readDeliveries(db: Reader, kind: TermsAbout<'halt'>['kind']): Promise<RequestSnapshot> {
  const [cursor] = await db.chainCursor.findMany({
    orderBy: [{ deliveriesHaltedAt: { sort: 'desc', nulls: 'last' } }, { chainId: 'asc' }],
    take: 1,
  });
  if (cursor === undefined) return NOTHING;
  const events =
    kind === 'HALT'
      ? []
      : await db.chainEvent.findMany({
          where: { verdict: 'UNKNOWN' },
          orderBy: [{ chainId: 'asc' }, { blockNumber: 'asc' }, { logIndex: 'asc' }],
        });
  return {
    about: 'halt',
    halt: toHalt(cursor.deliveriesHaltedAt, cursor.deliveriesHaltedReason),
    unknown: events.map(({ name, operationId, chainId, txHash, logIndex, args }) => ({
      name,
      operationId,
      chainId,
      logIndex,
      txHash: txHash as Hex,
      args: args as Record<string, string>,
    })),
  };
}

function toHalt(since: Date | null, reason: string | null) {
  return since === null ? null : { since: since.toISOString(), reason: reason ?? '' };
}

async function readRefund(db: Reader, id: Hex): Promise<RequestSnapshot> {
  const found = await db.refund.findUnique({ where: { id } });
  if (found === null) return NOTHING;
  const { status, chainId, asset } = found;
  return {
    about: 'refund',
    status,
    chainId,
    asset,
    operationId: found.operationId as Hex,
    amount: found.amount.toFixed(0),
    payer: found.payer as Address,
    recipient: found.recipient as Address | null,
  };
}

async function readIntent(db: Reader, intentId: Hex): Promise<RequestSnapshot> {
  const found = await db.operation.findUnique({ where: { id: intentId }, include: { intent: true } });
  if (found === null || found.intent === null) return NOTHING;
  return {
    about: 'intent',
    sender: found.sender as Address,
    recipient: found.recipient as Address,
    amount: found.amount.toFixed(0),
    isOpen: canIntentFail(found.status),
    isRejected: found.intent.rejectedBy !== null,
  };
}
