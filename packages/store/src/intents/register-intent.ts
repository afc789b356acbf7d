import { BridgeError, assetInfo, formatAmount, intentNonceHash } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';
import { lockParties } from '../locks/row-locks.js';
import { wake } from '../locks/wake-ups.js';
import { leaveHistory, openOperations, type NewParty } from '../operations/open-operation.js';
import type { OperationTerms } from '../operations/operation.js';
import type { PaymentWindow } from './payment-window.js';
import { execute, query } from '../sql/query.js';

/** Most open intents of one sender. Only the sender can sign them. */
const MOST_OPEN_OF_SENDER = 100;
/**
 * Most open intents of other senders in a recipient's history. The newest are shown; the others appear once they are
 * paid.
 */
const MOST_UNPROVEN = 10;

/** A signed intent with its client's keys. The operation with the same id holds its terms. */
export interface IntentRecord extends PaymentWindow {
  readonly id: Hex;
  readonly sender: Address;
  /** Null after a rebuild, which knows only the hash. */
  readonly nonce: string | null;
  readonly nonceHash: Hex;
  /** Null after a rebuild. */
  readonly idempotencyKey: string | null;
  readonly deadlineSeconds: bigint;
  readonly signature: Hex;
  readonly proposedOriginTxHash: Hex | null;
  /** The nonce of that transaction, if a node knew it. */
  readonly proposedOriginNonce: bigint | null;
  /** The wallet that the API's response named; null after a rebuild. */
  readonly relayerWallet: Address | null;
  /** The operators' request that rejected it. */
  readonly rejectedBy: Hex | null;
}

/** An intent to register. */
export type NewIntent = Pick<
  IntentRecord,
  'id' | 'sender' | 'deadlineSeconds' | 'signature' | 'judgedAtBlock' | 'expiresAt'
> & {
  readonly nonce: string;
  readonly idempotencyKey: string;
  readonly clientIp: string;
  /** The wallet that the API's response names. */
  readonly relayerWallet?: Address;
  /** Most open intents of one client. */
  readonly mostOpenOfClient: number;
};

/** An intent without a transfer, or whose transfer is not final. */
interface OpenIntent {
  readonly id: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly expiresAt: Date;
}

/**
 * Stores an intent and its operation in the caller's transaction. The sender's counter serves as a lock, so of two
 * concurrent intents of a sender, one sees the other.
 *
 * @throws BridgeError VALIDATION_ERROR when a transfer of this amount would pay another recipient; RATE_LIMIT_EXCEEDED
 *   when the sender or the client has too many open intents.
 */
export async function registerIntent(
  tx: Prisma.TransactionClient,
  terms: OperationTerms,
  { mostOpenOfClient, ...intent }: NewIntent,
): Promise<void> {
  await execute(tx)`SELECT pg_advisory_xact_lock(hashtextextended(${intent.clientIp}, 0))`;
  await lockParties(tx, [terms.sender, terms.recipient]);
  const open = (await findOpenIntents(tx, terms.sender)).filter(({ id }) => id !== terms.id);
  assertOneRecipient(terms, open);
  if (open.length >= MOST_OPEN_OF_SENDER)
    throw tooMany(`senderAddress has ${MOST_OPEN_OF_SENDER} open intents; pay one of them, or wait until one expires`);
  if ((await countOpenOfClient(tx, intent)) >= mostOpenOfClient)
    throw tooMany(`This client has ${mostOpenOfClient} open intents; wait until one is paid or expires`);
  const parties = await findParties(tx, terms);
  await openOperations(tx, [{ terms, origin: null, createdAt: null, parties }]);
  const cursor = await tx.chainCursor.findUnique({ where: { chainId: terms.originChainId } });
  const nonceHash = intentNonceHash(intent.nonce);
  await tx.intent.create({ data: { ...intent, nonceHash, acceptedAtBlock: cursor?.nextBlock ?? 0n } });
  await wake(tx, 'intents');
}

async function findOpenIntents(tx: Prisma.TransactionClient, sender: string): Promise<OpenIntent[]> {
  const rows = await query<{ id: string; recipient: string; amount: string; expires_at: Date }>(tx)`
    SELECT o.id, o.recipient, o.amount, i.expires_at FROM operation o JOIN intent i ON i.id = o.id
    WHERE o.sender = ${sender} AND o.kind = 'INTENT' AND o.status IN ('PENDING_ORIGIN_TX', 'CONFIRMING')`;
  return rows.map(({ id, recipient, amount, expires_at: expiresAt }) => ({
    id,
    recipient,
    expiresAt,
    amount: BigInt(amount),
  }));
}

/**
 * A transfer identifies its intent by sender and amount only, so these must not match intents to two recipients.
 *
 * @param open the other open intents of the sender.
 * @throws BridgeError VALIDATION_ERROR that suggests a free amount.
 */
function assertOneRecipient({ amount, recipient }: OperationTerms, open: readonly OpenIntent[]): void {
  const rival = open.find((other) => other.amount === amount && other.recipient !== recipient);
  if (rival === undefined) return;
  const taken = new Set(open.filter((other) => other.recipient !== recipient).map((other) => other.amount));
  let free = amount;
  while (taken.has(free)) free += assetInfo('XCN').granularity;
  throw new BridgeError(
    'VALIDATION_ERROR',
    `amountAtomic equals that of the open intent ${rival.id} of this sender to ${rival.recipient}, and one transfer ` +
      `cannot pay two recipients; use another amount, for example ${formatAmount('XCN', free)} XCN (amountAtomic ` +
      `${free}). This amount is free again when that intent is paid, or expires at ${rival.expiresAt.toISOString()}`,
    { field: 'amountAtomic' },
  );
}

async function countOpenOfClient(tx: Prisma.TransactionClient, { id, clientIp }: { id: string; clientIp: string }) {
  const [row] = await query<{ count: string }>(tx)`
    SELECT count(*) FROM intent i JOIN operation o ON o.id = i.id
    WHERE i.client_ip = ${clientIp} AND i.expires_at > now() AND i.id <> ${id}
      AND o.status IN ('PENDING_ORIGIN_TX', 'CONFIRMING')`;
  return Number(row?.count ?? 0);
}

/**
 * Strangers could fill a recipient's history with intents that they never pay. So it shows only the newest of these; an
 * older one reappears once it is paid.
 */
async function findParties(tx: Prisma.TransactionClient, { sender, recipient }: OperationTerms): Promise<NewParty[]> {
  const own = { address: sender, isUnproven: false };
  if (recipient === sender) return [own];
  const unproven = await tx.operationParty.findMany({
    where: { address: recipient, isUnproven: true },
    orderBy: { sequence: 'desc' },
  });
  for (const place of unproven.slice(MOST_UNPROVEN - 1)) await leaveHistory(tx, place);
  return [own, { address: recipient, isUnproven: true }];
}

function tooMany(message: string): BridgeError {
  return new BridgeError('RATE_LIMIT_EXCEEDED', message);
}
