import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { wake } from '../locks/wake-ups.js';
import { execute, query } from '../sql/query.js';
import type { Wallet } from '../transactions/wallet-call.js';

/** An open comparison of the database with the chains. While it is open, no relayer works. */
export interface Reconciliation {
  /** A sentence for operators. */
  readonly reason: string;
  /** When everything was last read; null before. */
  readonly readAt: Date | null;
}

/** The next nonces of a wallet. */
export interface WalletNonces {
  /** After the journal's last call; 0 without one. */
  readonly journal: bigint;
  /** After the last nonce that the database accounts for: journalled, listed, or below an earlier reconciliation. */
  readonly known: bigint;
  /** At the newest block whose events the last `relayer reconcile` settled. */
  readonly read: bigint;
}

/** How long no unknown nonce has appeared, by the database's clock and by the chain's. Null: none has. */
export type Quiet = { readonly byDatabaseMs: number; readonly byChainMs: number } | null;

/** A wallet and its next nonce. */
export interface NonceOf {
  readonly wallet: Wallet;
  readonly nonce: bigint;
}

/** Comparisons of the database with the chains, and the nonces that show that one is needed. */
export class ReconciliationRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The open reconciliation. */
  async open(): Promise<Reconciliation | null> {
    const row = await this.prisma.reconciliation.findFirst({ where: { endedAt: null } });
    return row === null ? null : { reason: row.reason, readAt: row.readAt };
  }

  /** Opens a reconciliation; keeps an open one. */
  async begin(fence: Fence, reason: string): Promise<void> {
    await fencedTransaction(
      this.prisma,
      fence,
      (tx) => execute(tx)`
        INSERT INTO reconciliation (reason) VALUES (${reason}) ON CONFLICT ((true)) WHERE ended_at IS NULL DO NOTHING`,
    );
  }

  async nonces({ chainId, address }: Wallet): Promise<WalletNonces> {
    const [row] = await query<{ journal: string; listed: string; known: string; read: string }>(this.prisma)`
      SELECT
        (SELECT coalesce(max(nonce) + 1, 0) FROM wallet_call WHERE chain_id = ${chainId} AND sender = ${address}) AS journal,
        (SELECT coalesce(max(nonce) + 1, 0) FROM unjournaled_transaction
         WHERE chain_id = ${chainId} AND sender = ${address}) AS listed,
        coalesce(max(known), 0) AS known, coalesce(max(read), 0) AS read
      FROM wallet_nonce WHERE chain_id = ${chainId} AND sender = ${address}`;
    const [journal, listed, known] = [row?.journal, row?.listed, row?.known].map((nonce) => BigInt(nonce ?? 0));
    const all = [journal ?? 0n, listed ?? 0n, known ?? 0n];
    return {
      journal: journal ?? 0n,
      known: all.reduce((most, each) => (each > most ? each : most)),
      read: BigInt(row?.read ?? 0),
    };
  }

  /**
   * Records the next nonce that nodes report beyond the known ones. Needs no lease: relayers that wait call it.
   *
   * @param headAt chain time of the head at that moment.
   * @returns whether it is higher than before in the open reconciliation.
   */
  async see({ wallet: { chainId, address }, nonce }: NonceOf, headAt: Date): Promise<boolean> {
    const risen = await execute(this.prisma)`
      INSERT INTO wallet_nonce (chain_id, sender, seen, seen_in_block_of)
      VALUES (${chainId}, ${address}, ${nonce}, ${headAt})
      ON CONFLICT (chain_id, sender) DO UPDATE
      SET seen = excluded.seen, seen_at = now(), seen_in_block_of = excluded.seen_in_block_of
      WHERE wallet_nonce.seen < excluded.seen
        OR wallet_nonce.seen_at < (SELECT began_at FROM reconciliation WHERE ended_at IS NULL)`;
    return risen > 0;
  }

  /**
   * How long no unknown nonce of a wallet has appeared in the open reconciliation.
   *
   * @param headAt chain time of the head.
   */
  async quiet({ chainId, address }: Wallet, headAt: Date): Promise<Quiet> {
    const [row] = await query<{ database_ms: number; chain_ms: number }>(this.prisma)`
      SELECT (extract(epoch FROM now() - n.seen_at) * 1000)::float8 AS database_ms,
        (extract(epoch FROM ${headAt}::timestamptz - n.seen_in_block_of) * 1000)::float8 AS chain_ms
      FROM wallet_nonce n JOIN reconciliation r ON r.ended_at IS NULL AND n.seen_at >= r.began_at
      WHERE n.chain_id = ${chainId} AND n.sender = ${address} AND n.seen > 0`;
    return row === undefined ? null : { byDatabaseMs: row.database_ms, byChainMs: row.chain_ms };
  }

  /** Records that everything was read, and the wallets' next nonces at the newest settled blocks. */
  async markRead(fence: Fence, read: readonly NonceOf[]): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      for (const { wallet, nonce } of read) await setNonce(tx, wallet, { read: nonce });
      await tx.reconciliation.updateMany({ where: { endedAt: null }, data: { readAt: new Date() } });
    });
  }
}

/**
 * Ends the open reconciliation, if any, in the caller's transaction, and wakes the relayers that wait for it.
 *
 * @param known the nonces that are accounted for.
 */
export async function endReconciliation(tx: Prisma.TransactionClient, known: readonly NonceOf[]): Promise<void> {
  await tx.reconciliation.updateMany({ where: { endedAt: null }, data: { endedAt: new Date() } });
  for (const { wallet, nonce } of known) await setNonce(tx, wallet, { known: nonce });
  await wake(tx, 'lease');
}

async function setNonce(
  tx: Prisma.TransactionClient,
  { chainId, address: sender }: Wallet,
  data: { readonly known: bigint } | { readonly read: bigint },
): Promise<void> {
  const where = { chainId_sender: { chainId, sender } };
  await tx.walletNonce.upsert({ where, create: { chainId, sender, ...data }, update: data });
}
