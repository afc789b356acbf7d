import { BridgeError, type Asset } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { lockUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockOperation, lockParties } from '../locks/row-locks.js';
import { wake } from '../locks/wake-ups.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { leaveHistory } from '../operations/open-operation.js';
import type { BlockRecord, Operation, OperationTerms } from '../operations/operation.js';
import { bindTransfer, exchangeTransfer, type TransferKey } from './bind-transfer.js';
import { isAboutToBePaid, IS_IN_WINDOW, TRANSFER_MAY_PAY } from './payment-window.js';
import { registerIntent, type IntentRecord, type NewIntent } from './register-intent.js';
import { query } from '../sql/query.js';

/** A transfer to the relayer wallet that is bound to no intent, with the intents that it can pay, oldest first. */
export interface UnboundTransfer {
  readonly key: TransferKey;
  /** `isNamed`: the transfer's data names the intent. `isProposed`: a client named this transaction for the intent. */
  readonly candidates: readonly { readonly id: Hex; readonly isNamed: boolean; readonly isProposed: boolean }[];
}

/** An inbound transfer of native XCN, and the operation that it pays. `amount` in 18-decimal units. */
export interface KnownTransfer {
  readonly payer: Address;
  readonly amount: bigint;
  readonly minedAt: Date;
  readonly blockNumber: bigint;
  readonly pays: (Pick<Operation, 'kind' | 'status' | 'recipient' | 'outputAmount'> & { readonly id: Hex }) | null;
}

/**
 * A mined transfer to the relayer wallet that the store does not have. `amount` in 18-decimal units, `minedAt` in chain
 * time.
 */
interface UnreadTransfer {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly payer: Address;
  readonly amount: bigint;
  readonly memo: Hex | null;
  readonly blockNumber: bigint;
  readonly minedAt: Date;
}

/** Withdraw intents and the transfers that pay them. */
export class IntentRepository {
  constructor(private readonly prisma: PrismaClient) {}

  async find(id: Hex): Promise<IntentRecord | null> {
    const row = await this.prisma.intent.findUnique({ where: { id } });
    return row === null ? null : toRecord(row);
  }

  /** The existing intents among the given ids. */
  async findAll(ids: readonly Hex[]): Promise<ReadonlyMap<Hex, IntentRecord>> {
    const rows = await this.prisma.intent.findMany({ where: { id: { in: [...ids] } } });
    return new Map(rows.map((row) => [row.id as Hex, toRecord(row)]));
  }

  /** The sender's intent with this idempotency key, if there is one. */
  async findByKey(sender: Address, idempotencyKey: string): Promise<IntentRecord | null> {
    const where = { sender_idempotencyKey: { sender, idempotencyKey } };
    const row = await this.prisma.intent.findUnique({ where });
    return row === null ? null : toRecord(row);
  }

  /**
   * Stores an intent and its operation.
   *
   * @returns false when the same intent is already stored, with the same key or by a rebuild: respond with that one.
   * @throws BridgeError VALIDATION_ERROR when the key or the nonce was used for another intent of the sender, or when a
   *   transfer of this amount would pay another recipient; RATE_LIMIT_EXCEEDED for too many open intents.
   */
  async register(terms: OperationTerms, intent: NewIntent): Promise<boolean> {
    try {
      await this.prisma.$transaction((tx) => registerIntent(tx, terms, intent));
      return true;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return this.explainClash(intent);
    }
  }

  private async explainClash(intent: NewIntent): Promise<false> {
    const sameKey = await this.findByKey(intent.sender, intent.idempotencyKey);
    if (sameKey?.id === intent.id) return false;
    const same = await this.find(intent.id);
    if (sameKey === null && same?.idempotencyKey === null) return false;
    if (sameKey !== null) {
      throw new BridgeError(
        'VALIDATION_ERROR',
        'idempotencyKey was used for another intent of this sender; use a new key',
        {
          field: 'idempotencyKey',
        },
      );
    }
    throw new BridgeError('VALIDATION_ERROR', 'nonce was used for another intent of this sender; use a new nonce', {
      field: 'nonce',
    });
  }

  /**
   * Stores the transaction that a client named. The transaction can still pay other intents, because anyone can call
   * the endpoint. Of two equal intents of a sender, the one for which it was named last gets it.
   *
   * @param nonce of the transaction, if a node knows it.
   * @returns false when the intent is final, failed or expired.
   */
  async proposeOrigin(id: Hex, txHash: Hex, nonce: bigint | null = null): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      const operation = await lockOperation(tx, id);
      if (operation === null || (operation.status !== 'PENDING_ORIGIN_TX' && operation.status !== 'CONFIRMING'))
        return false;
      const { sender } = operation;
      await tx.intent.updateMany({
        where: { sender, proposedOriginTxHash: txHash, id: { not: id } },
        data: { proposedOriginTxHash: null, proposedOriginNonce: null },
      });
      const data = { proposedOriginTxHash: txHash, proposedOriginNonce: nonce };
      await tx.intent.update({ where: { id }, data });
      await wake(tx, 'intents');
      return true;
    });
  }

  /**
   * The transfers of native XCN in a scanned transaction, each with the operation that it pays, if any. Transfers to a
   * former wallet are left out: they pay no intent.
   */
  async findTransfers(chainId: number, txHash: Hex): Promise<KnownTransfer[]> {
    const rows = await this.prisma.inboundTransfer.findMany({
      where: { chainId, txHash, asset: 'XCN', isToFormerWallet: false },
      orderBy: { callIndex: 'asc' },
      include: { operation: true },
    });
    return rows.map(({ payer, amount, minedAt, blockNumber, operation }) => ({
      payer: payer as Address,
      amount: BigInt(amount.toFixed(0)),
      minedAt,
      blockNumber,
      pays: operation === null ? null : { id: operation.id as Hex, ...toTerms(operation) },
    }));
  }

  /** Unbound transfers, oldest first, each with the pending intents that it can pay. At most 500. */
  async findUnbound(chainId: number): Promise<UnboundTransfer[]> {
    const rows = await query<{
      tx_hash: Hex;
      asset: Asset;
      call_index: number;
      candidates: UnboundTransfer['candidates'];
    }>(this.prisma)`
      SELECT t.tx_hash, t.asset, t.call_index,
        json_agg(json_build_object('id', i.id, 'isNamed', coalesce(t.memo = i.id, false),
          'isProposed', coalesce(i.proposed_origin_tx_hash = t.tx_hash, false)) ORDER BY i.created_at, i.id) AS candidates
      FROM inbound_transfer t, intent i, operation o
      WHERE t.chain_id = ${chainId} AND ${TRANSFER_MAY_PAY}
      GROUP BY t.chain_id, t.tx_hash, t.asset, t.call_index
      ORDER BY t.block_number, t.tx_hash, t.call_index
      LIMIT 500`;
    return rows.map((row) => ({
      key: { chainId, txHash: row.tx_hash, asset: row.asset, callIndex: row.call_index },
      candidates: row.candidates,
    }));
  }

  /**
   * The intent to which an unread transfer will be bound. The rule is that of `findUnbound`.
   *
   * @returns null when no intent matches.
   */
  async findPaidBy(transfer: UnreadTransfer): Promise<Hex | null> {
    const { chainId, txHash, payer, amount, memo, blockNumber, minedAt } = transfer;
    const [row] = await query<{ id: Hex }>(this.prisma)`
      WITH t AS (
        SELECT ${chainId}::int AS chain_id, ${txHash}::text AS tx_hash, ${payer}::text AS payer,
          'XCN'::"Asset" AS asset, ${amount.toString()}::numeric AS amount, ${memo}::text AS memo, false AS is_to_former_wallet,
          ${blockNumber}::bigint AS block_number, ${minedAt}::timestamptz AS mined_at, NULL::text AS operation_id)
      SELECT i.id FROM t, intent i, operation o
      WHERE i.sender = t.payer AND ${TRANSFER_MAY_PAY}
      ORDER BY coalesce(t.memo = i.id, false) DESC, coalesce(i.proposed_origin_tx_hash = t.tx_hash, false) DESC,
        i.created_at, i.id
      LIMIT 1`;
    return row?.id ?? null;
  }

  /** Binds a transfer to an intent: its operation becomes CONFIRMING. False as for `bindTransfer`. */
  async bind(fence: Fence, key: TransferKey, id: Hex): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, (tx) => bindTransfer(tx, key, id));
  }

  /**
   * The transfers that a client named for an open intent, but that pay an equal intent whose origin is not final.
   * Transfers whose data names the paid intent are left out.
   */
  async findExchanges(chainId: number): Promise<{ key: TransferKey; id: Hex }[]> {
    const rows = await query<{ tx_hash: Hex; asset: Asset; call_index: number; id: Hex }>(this.prisma)`
      SELECT DISTINCT ON (i.id) t.tx_hash, t.asset, t.call_index, i.id
      FROM operation o JOIN intent i ON i.id = o.id
      JOIN inbound_transfer t ON t.chain_id = o.origin_chain_id AND t.tx_hash = i.proposed_origin_tx_hash
        AND t.asset = 'XCN' AND t.payer = o.sender AND t.amount = o.amount AND t.operation_id <> o.id
      JOIN operation h ON h.id = t.operation_id
      WHERE o.origin_chain_id = ${chainId} AND o.kind = 'INTENT' AND o.status IN ('PENDING_ORIGIN_TX', 'CONFIRMING')
        AND o.origin_tx_hash IS DISTINCT FROM i.proposed_origin_tx_hash
        AND h.kind = 'INTENT' AND h.status = 'CONFIRMING' AND h.recipient = o.recipient AND h.output_amount = o.output_amount
        AND t.memo IS DISTINCT FROM h.id AND ${IS_IN_WINDOW}
      ORDER BY i.id, t.call_index LIMIT 500`;
    return rows.map(({ tx_hash: txHash, call_index: callIndex, asset, id }) => ({
      key: { chainId, txHash, asset, callIndex },
      id,
    }));
  }

  /** Moves the transfer of a confirming intent to an equal intent. False as for `exchangeTransfer`. */
  async exchange(fence: Fence, key: TransferKey, id: Hex): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, (tx) => exchangeTransfer(tx, key, id));
  }

  /** The pending intents whose payment window had closed at a chain time, earliest end first. At most 500. */
  async findClosedWindows(originChainId: number, chainTime: Date): Promise<Hex[]> {
    const rows = await query<{ id: Hex }>(this.prisma)`
      SELECT i.id FROM operation o JOIN intent i ON i.id = o.id
      WHERE o.status = 'PENDING_ORIGIN_TX' AND o.origin_chain_id = ${originChainId} AND i.expires_at < ${chainTime}
      ORDER BY i.expires_at, i.id LIMIT 500`;
    return rows.map(({ id }) => id);
  }

  /** The pending intents whose responses named another wallet, oldest first. At most 500. */
  async findOfOtherWallets(originChainId: number, wallet: Address): Promise<Hex[]> {
    const rows = await query<{ id: Hex }>(this.prisma)`
      SELECT i.id FROM operation o JOIN intent i ON i.id = o.id
      WHERE o.status = 'PENDING_ORIGIN_TX' AND o.origin_chain_id = ${originChainId} AND i.relayer_wallet <> ${wallet}
      ORDER BY i.created_at, i.id LIMIT 500`;
    return rows.map(({ id }) => id);
  }

  /**
   * Expires a pending intent whose window had closed at the time of `newest`, the newest block read: every block with a
   * transfer in time has been read by then. Also expires an intent for a replaced wallet, which no later transfer can
   * pay.
   *
   * @param wallet the relayer wallet of BridgeMint after that block; null to check only the window.
   * @returns false when the intent is not pending, its window is open and its wallet in use, its transfer is about to
   *   be bound, a reorg removed the block, or a chain is halted.
   */
  async expire(fence: Fence, id: Hex, newest: BlockRecord, wallet: Address | null = null): Promise<boolean> {
    const { number, hash, timestamp: chainTime } = newest;
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, id))) return false;
      const ofRecipient = { where: { operationId: id, isUnproven: true } };
      await lockParties(
        tx,
        (await tx.operationParty.findMany(ofRecipient)).map(({ address }) => address),
      );
      const operation = await lockOperation(tx, id);
      const intent = await tx.intent.findUnique({ where: { id } });
      if (operation === null || intent === null) return false;
      const isReplaced = wallet !== null && intent.relayerWallet !== null && intent.relayerWallet !== wallet;
      if (intent.expiresAt >= chainTime && !isReplaced) return false;
      const canonical = await tx.chainBlock.count({ where: { chainId: operation.originChainId, number, hash } });
      if (canonical === 0 || (await isAboutToBePaid(tx, id))) return false;
      const hasExpired = await advanceOperation(tx, id, ({ status }) =>
        status === 'PENDING_ORIGIN_TX' ? { expiredAt: chainTime } : null,
      );
      if (!hasExpired) return false;
      for (const place of await tx.operationParty.findMany(ofRecipient)) await leaveHistory(tx, place);
      return true;
    });
  }
}

/**
 * Whether a row with this key exists. Prisma reports P2002 for its own statements, and PostgreSQL's code for raw SQL.
 */
function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  return error.code === 'P2002' || (error.code === 'P2010' && error.message.includes('`23505`'));
}

function toTerms({ kind, status, recipient, outputAmount }: Prisma.OperationGetPayload<object>) {
  return { kind, status, recipient: recipient as Address, outputAmount: BigInt(outputAmount.toFixed(0)) };
}

function toRecord(row: Prisma.IntentGetPayload<object>): IntentRecord {
  return {
    ...row,
    id: row.id as Hex,
    sender: row.sender as Address,
    nonceHash: row.nonceHash as Hex,
    signature: row.signature as Hex,
    proposedOriginTxHash: row.proposedOriginTxHash as Hex | null,
    relayerWallet: row.relayerWallet as Address | null,
    rejectedBy: row.rejectedBy as Hex | null,
  };
}
