import type { Pool } from 'pg';
import { zeroAddress, type Address } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { isRepeated } from '../operations/reopening.js';
import { query } from '../sql/query.js';

/** The final blocks up to which events are summed. */
export interface FinalBlocks {
  readonly ethereum: { readonly chainId: number; readonly number: bigint };
  readonly partner: { readonly chainId: number; readonly number: bigint };
}

/** Native XCN that ever crossed the bridge, in 18-decimal units. */
export interface XcnTotals {
  /** Minted on the partner chain. */
  readonly minted: bigint;
  /**
   * Released on Ethereum for operations of this database with the right terms, fees included. Each operation counts
   * once.
   */
  readonly withdrawn: bigint;
}

/** The minimum chain time between two stored totals. */
const STEP_MS = 3_600_000;
const DAY_MS = 86_400_000n;

/**
 * Totals of native XCN, which has no `totalSupply`. Each total starts from a stored one and adds the events after it,
 * so its cost does not grow with the chain.
 */
export class XcnTotalRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /**
   * The totals up to two stored final blocks.
   *
   * @param token XCN on Ethereum, in lower case.
   */
  async at({ ethereum, partner }: FinalBlocks, token: Address): Promise<XcnTotals> {
    const rows = await query<{ minted: string; withdrawn: string }>(this.pool, {
      name: 'xcn-totals',
      text: `WITH start AS (
          SELECT partner_block, ethereum_block, minted, withdrawn FROM xcn_total
          WHERE partner_block <= $2 AND ethereum_block <= $4
          UNION ALL SELECT -1, -1, 0, 0 ORDER BY partner_block DESC LIMIT 1)
        SELECT start.minted + (
            SELECT coalesce(sum((e.args->>'amount')::numeric), 0) FROM chain_event e
            WHERE e.chain_id = $1 AND e.block_number > start.partner_block AND e.block_number <= $2
              AND e.name = 'Mint' AND e.args->>'token' = '${zeroAddress}') AS minted,
          start.withdrawn + (
            SELECT coalesce(sum(o.amount), 0) FROM chain_event e JOIN operation o ON o.id = e.operation_id
            WHERE e.chain_id = $3 AND e.block_number > start.ethereum_block AND e.block_number <= $4
              AND e.name = 'Release' AND o.asset = 'XCN' AND o.destination_chain_id = e.chain_id
              AND e.args->>'token' = $5 AND e.args->>'recipient' = o.recipient
              AND e.args->>'amount' = o.output_amount::text AND e.args->>'fee' = o.fee::text AND o.status <> 'FAILED'
              AND NOT ${isRepeated('e')}) AS withdrawn
        FROM start`,
      values: [partner.chainId, partner.number.toString(), ethereum.chainId, ethereum.number.toString(), token],
    });
    return { minted: BigInt(rows[0]?.minted ?? 0), withdrawn: BigInt(rows[0]?.withdrawn ?? 0) };
  }

  /**
   * Stores totals as the start of later ones, if the newest stored total is at least an hour older.
   *
   * @param at chain time of the partner block.
   * @returns whether they were stored.
   */
  async keep(fence: Fence, { ethereum, partner }: FinalBlocks, totals: XcnTotals, at: Date): Promise<boolean> {
    const newest = await this.prisma.xcnTotal.findFirst({ orderBy: { partnerBlock: 'desc' } });
    if (newest !== null && at.getTime() - newest.at.getTime() < STEP_MS) return false;
    const data = {
      partnerChainId: partner.chainId,
      partnerBlock: partner.number,
      ethereumChainId: ethereum.chainId,
      ethereumBlock: ethereum.number,
      minted: totals.minted.toString(),
      withdrawn: totals.withdrawn.toString(),
      at,
    };
    return fencedTransaction(this.prisma, fence, async (tx) => {
      const { count } = await tx.xcnTotal.createMany({ data, skipDuplicates: true });
      return count === 1;
    });
  }

  /**
   * Native XCN minted minus withdrawn per day, from the totals stored since a time, in 18-decimal units; withdrawals
   * refill the float. Totals that span less than a day count as a full day, because an hour shows no trend. Null with
   * fewer than two totals; 0 when more is withdrawn than minted.
   */
  async outflowPerDay(since: Date): Promise<bigint | null> {
    const where = { at: { gte: since } };
    const first = await this.prisma.xcnTotal.findFirst({ where, orderBy: { partnerBlock: 'asc' } });
    const last = await this.prisma.xcnTotal.findFirst({ where, orderBy: { partnerBlock: 'desc' } });
    if (first === null || last === null || first.partnerBlock === last.partnerBlock) return null;
    const elapsedMs = Math.max(last.at.getTime() - first.at.getTime(), Number(DAY_MS));
    const outflow = last.minted.minus(first.minted).minus(last.withdrawn.minus(first.withdrawn));
    return outflow.isPositive() ? (BigInt(outflow.toFixed(0)) * DAY_MS) / BigInt(elapsedMs) : 0n;
  }
}
