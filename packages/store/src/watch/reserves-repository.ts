import type { AssetReserves, ReservesStatement } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { ReservesStatementModel } from '../generated/prisma/models.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';

/** A statement of the reserves that enough attesters signed. */
export interface PublishedReserves {
  readonly statement: ReservesStatement;
  readonly digest: Hex;
  /** Number of BridgeLock's attester set. */
  readonly setNumber: bigint;
  readonly signatures: readonly { readonly attester: Address; readonly signature: Hex }[];
}

type StoredAsset = Readonly<Record<keyof AssetReserves, string>>;

/** The statements of the reserves, one a day. */
export class ReservesRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The newest statement; null before the first one. */
  async newest(): Promise<PublishedReserves | null> {
    return (await this.list(1))[0] ?? null;
  }

  /**
   * Statements, newest first.
   *
   * @param before only those of earlier days.
   */
  async list(limit: number, before?: number): Promise<PublishedReserves[]> {
    const where = before === undefined ? {} : { day: { lt: before } };
    const rows = await this.prisma.reservesStatement.findMany({ where, orderBy: { day: 'desc' }, take: limit });
    return rows.map(toPublished);
  }

  /** Stores the statement of a day. Another one of that day, or after the same statement, is an error. */
  async publish(fence: Fence, { statement, digest, setNumber, signatures }: PublishedReserves): Promise<void> {
    const { day, assets, ...blocks } = statement;
    const texts = assets.map(({ asset, locked, supply, held, inFlight, fees }): StoredAsset => ({
      asset,
      locked: `${locked}`,
      supply: `${supply}`,
      held: `${held}`,
      inFlight: `${inFlight}`,
      fees: `${fees}`,
    }));
    const data = {
      ...blocks,
      day: Number(day),
      digest,
      assets: texts.map((text) => ({ ...text })),
      attesterSet: setNumber.toString(),
      signatures: signatures.map(({ attester, signature }) => ({ attester, signature })),
    };
    await fencedTransaction(this.prisma, fence, async (tx) => tx.reservesStatement.create({ data }));
  }
}

function toPublished(row: ReservesStatementModel): PublishedReserves {
  const assets = (row.assets as unknown as readonly StoredAsset[]).map(
    ({ asset, locked, supply, held, inFlight, fees }) => ({
      asset,
      locked: BigInt(locked),
      supply: BigInt(supply),
      held: BigInt(held),
      inFlight: BigInt(inFlight),
      fees: BigInt(fees),
    }),
  );
  return {
    statement: {
      day: BigInt(row.day),
      previous: row.previous as Hex,
      ethereumBlock: row.ethereumBlock,
      ethereumHash: row.ethereumHash as Hex,
      partnerBlock: row.partnerBlock,
      partnerHash: row.partnerHash as Hex,
      assets,
    },
    digest: row.digest as Hex,
    setNumber: BigInt(row.attesterSet.toFixed(0)),
    signatures: row.signatures as unknown as PublishedReserves['signatures'],
  };
}
