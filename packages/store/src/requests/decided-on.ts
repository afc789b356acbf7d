import { canIntentFail, type DecidedOn, type RequestTerms } from '@causeway/protocol/admin';
import type { Address, Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import type { ChainPair } from '../refunds/fail-operation.js';

type Reader = Prisma.TransactionClient | PrismaClient;
type TermsOf<Kind extends RequestTerms['kind']> = Extract<RequestTerms, { readonly kind: Kind }>;

const NOTHING: DecidedOn = { about: 'nothing' };

/**
 * Reads what a request with these terms is decided on. Only the database is asked, so the API and the relayer read the
 * same; what the nodes must confirm, the relayer asks before it acts.
 *
 * @param db a transaction, to read it together with the effect.
 */
export async function readDecidedOn(db: Reader, terms: RequestTerms, chains: ChainPair): Promise<DecidedOn> {
  switch (terms.kind) {
    case 'RETRY':
      return readOperation(db, terms.operationId);
    case 'CANCEL':
      return readDelivery(db, terms);
    case 'HALT':
    case 'RESUME':
      return terms.target === 'deliveries' ? readDeliveries(db, terms) : readChain(db, chains[terms.target]);
    case 'REFUND_APPROVE':
    case 'REFUND_REFUSE':
      return readRefund(db, terms.refundId);
    case 'INTENT_REJECT':
      return readIntent(db, terms);
    case 'MEMBER_SET':
    case 'MEMBER_REMOVE': {
      const member = await db.adminMember.findUnique({ where: { address: terms.address } });
      return { about: 'member', role: member?.role ?? null };
    }
  }
}

async function readOperation(db: Reader, id: Hex): Promise<DecidedOn> {
  const found = await db.operation.findUnique({ where: { id } });
  if (found === null) return NOTHING;
  const { status, delayedReason, nextAttemptAt } = found;
  return { about: 'operation', status, delayedReason, isPaused: status === 'DELAYED' && nextAttemptAt !== null };
}

async function readDelivery(db: Reader, { operationId }: TermsOf<'CANCEL'>): Promise<DecidedOn> {
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

async function readChain(db: Reader, chainId: number): Promise<DecidedOn> {
  const cursor = await db.chainCursor.findUnique({ where: { chainId } });
  return cursor === null ? NOTHING : { about: 'halt', halt: haltOf(cursor.haltedAt, cursor.haltedReason), unknown: [] };
}

async function readDeliveries(db: Reader, { kind }: TermsOf<'HALT' | 'RESUME'>): Promise<DecidedOn> {
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
    halt: haltOf(cursor.deliveriesHaltedAt, cursor.deliveriesHaltedReason),
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

function haltOf(since: Date | null, reason: string | null) {
  return since === null ? null : { since: since.toISOString(), reason: reason ?? '' };
}

async function readRefund(db: Reader, id: Hex): Promise<DecidedOn> {
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

async function readIntent(db: Reader, { intentId }: TermsOf<'INTENT_REJECT'>): Promise<DecidedOn> {
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
