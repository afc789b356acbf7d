import { BridgeError, intentNonceHash, type Asset } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { lockUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockOperation } from '../locks/row-locks.js';
import { wake } from '../locks/wake-ups.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { openOperations } from '../operations/open-operation.js';
import type { BlockRecord, OperationTerms } from '../operations/operation.js';
import { bindTransfer, type TransferKey } from './bind-transfer.js';
import { isAboutToBePaid, MAY_PAY_ONE_ONLY, TRANSFER_MAY_PAY, type PaymentWindow } from './payment-window.js';

/** A signed intent with its client's keys. The operation of the same id holds its terms. */
export interface IntentRecord extends PaymentWindow {
  readonly id: Hex;
  readonly sender: Address;
  /** Null after a rebuild, which knows the hash only. */
  readonly nonce: string | null;
  readonly nonceHash: Hex;
  /** Null after a rebuild. */
  readonly idempotencyKey: string | null;
  readonly deadlineSeconds: bigint;
  readonly signature: Hex;
  readonly proposedOriginTxHash: Hex | null;
}

/** An intent to be registered. */
type NewIntent = Pick<IntentRecord, 'id' | 'sender' | 'deadlineSeconds' | 'signature' | 'expiresAt'> & {
  readonly nonce: string;
  readonly idempotencyKey: string;
};

/** A transfer to the relayer wallet that is bound to no intent, with the intents that it may pay. */
export interface UnboundTransfer {
  readonly key: TransferKey;
  readonly candidates: readonly { id: Hex; proposed: boolean }[];
}

/** Withdraw intents and the transfers that pay for them. */
export class IntentRepository {
  constructor(private readonly prisma: PrismaClient) {}

  async find(id: Hex): Promise<IntentRecord | null> {
    return toRecord(await this.prisma.intent.findUnique({ where: { id } }));
  }

  /** The sender's intent with this idempotency key, if there is one. */
  async findByKey(sender: Address, idempotencyKey: string): Promise<IntentRecord | null> {
    const where = { sender_idempotencyKey: { sender, idempotencyKey } };
    return toRecord(await this.prisma.intent.findUnique({ where }));
  }

  /**
   * Stores an intent and its operation.
   *
   * @returns false when the same intent is stored already, with the same key or by a rebuild: answer with that one.
   * @throws BridgeError VALIDATION_ERROR when the key or the nonce was used for another intent of the sender.
   */
  async register(terms: OperationTerms, intent: NewIntent): Promise<boolean> {
    try {
      await this.prisma.$transaction(async (tx) => {
        await openOperations(tx, [{ terms, origin: null, createdAt: null }]);
        await tx.intent.create({ data: { ...intent, nonceHash: intentNonceHash(intent.nonce) } });
        await wake(tx, 'intents');
      });
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
   * Stores the transaction that a client named, before the chain shows it. The transaction stays free for other
   * intents, since anyone may call the endpoint.
   *
   * @returns false when the intent is not pending any more: it was bound, or has expired.
   */
  async proposeOrigin(id: Hex, txHash: Hex): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      const operation = await lockOperation(tx, id);
      if (operation?.status !== 'PENDING_ORIGIN_TX') return false;
      await tx.intent.update({ where: { id }, data: { proposedOriginTxHash: txHash } });
      await wake(tx, 'intents');
      return true;
    });
  }

  /** The transfer of a transaction to the relayer wallet, as scanned, and the operation it pays, if any. */
  async findTransfer(
    txHash: Hex,
  ): Promise<{ payer: Address; amount: bigint; minedAt: Date; operationId: Hex | null } | null> {
    const row = await this.prisma.inboundTransfer.findFirst({ where: { txHash, asset: 'XCN' } });
    if (row === null) return null;
    return {
      payer: row.payer as Address,
      amount: BigInt(row.amount.toFixed(0)),
      minedAt: row.minedAt,
      operationId: row.operationId as Hex | null,
    };
  }

  /**
   * Transfers without an intent, each with the pending intents of the same payer and amount that were open when it was
   * mined. Only transfers that clearly pay one of them: others could fill the limit of 500.
   */
  async findUnbound(chainId: number): Promise<UnboundTransfer[]> {
    const rows = await this.prisma.$queryRaw<
      { tx_hash: Hex; asset: Asset; call_index: number; candidates: { id: Hex; proposed: boolean }[] }[]
    >`
      SELECT t.tx_hash, t.asset, t.call_index,
        json_agg(json_build_object('id', i.id, 'proposed', coalesce(i.proposed_origin_tx_hash = t.tx_hash, false)) ORDER BY i.created_at, i.id) AS candidates
      FROM inbound_transfer t, intent i, operation o
      WHERE t.chain_id = ${chainId} AND ${TRANSFER_MAY_PAY}
      GROUP BY t.chain_id, t.tx_hash, t.asset, t.call_index
      HAVING ${MAY_PAY_ONE_ONLY} OR bool_or(coalesce(i.proposed_origin_tx_hash = t.tx_hash, false))
      ORDER BY t.block_number, t.tx_hash, t.call_index
      LIMIT 500`;
    return rows.map((row) => ({
      key: { chainId, txHash: row.tx_hash, asset: row.asset, callIndex: row.call_index },
      candidates: row.candidates,
    }));
  }

  /** Binds a transfer to an intent: its operation becomes CONFIRMING. False when either was bound in the meantime. */
  async bind(fence: Fence, key: TransferKey, id: Hex): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, (tx) => bindTransfer(tx, key, id));
  }

  /** The pending intents whose payment window had closed at a time of the chain, oldest first. At most 500. */
  async findClosedWindows(originChainId: number, chainTime: Date): Promise<Hex[]> {
    const rows = await this.prisma.$queryRaw<{ id: Hex }[]>`
      SELECT i.id FROM operation o JOIN intent i ON i.id = o.id
      WHERE o.status = 'PENDING_ORIGIN_TX' AND o.origin_chain_id = ${originChainId} AND i.expires_at < ${chainTime}
      ORDER BY i.expires_at, i.id LIMIT 500`;
    return rows.map(({ id }) => id);
  }

  /**
   * Expires a pending intent whose window had closed at the time of `newest`, the newest block read. By then every
   * block with a transfer in time was read.
   *
   * @returns false when its window is open, its transfer is about to be bound, a reorg removed the block, or a chain is
   *   halted.
   */
  async expire(fence: Fence, id: Hex, newest: BlockRecord): Promise<boolean> {
    const { number, hash, timestamp: chainTime } = newest;
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, id))) return false;
      const operation = await lockOperation(tx, id);
      const intent = await tx.intent.findUnique({ where: { id } });
      if (operation === null || intent === null || intent.expiresAt >= chainTime) return false;
      const canonical = await tx.chainBlock.count({ where: { chainId: operation.originChainId, number, hash } });
      if (canonical === 0 || (await isAboutToBePaid(tx, id))) return false;
      return advanceOperation(tx, id, (now) => (now.status === 'PENDING_ORIGIN_TX' ? { expiredAt: chainTime } : null));
    });
  }
}

/** A row with this key exists. Prisma has a code of its own for it, and keeps PostgreSQL's in statements of ours. */
function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  return error.code === 'P2002' || (error.code === 'P2010' && error.message.includes('`23505`'));
}

function toRecord(row: Prisma.IntentGetPayload<object> | null): IntentRecord | null {
  if (row === null) return null;
  return {
    ...row,
    id: row.id as Hex,
    sender: row.sender as Address,
    nonceHash: row.nonceHash as Hex,
    signature: row.signature as Hex,
    proposedOriginTxHash: row.proposedOriginTxHash as Hex | null,
  };
}
