import type { ReservesResponse, ReservesStatementResponse } from '@causeway/sdk';
import {
  checkStatements,
  findShortage,
  NoQuorumError,
  readFinalHeaders,
  readReserves,
  reservesDigest,
  type AssetReserves,
  type FinalHeaders,
  type SignedReserves,
  type Verifier,
} from '@causeway/verifier';

/** The reserves as the reader's nodes show them, and what is wrong with the statements. */
export interface CheckedReserves {
  readonly assets: readonly AssetReserves[];
  /** Whether they are those of the newest statement's blocks. Otherwise they are of the newest final blocks. */
  readonly isOfStatement: boolean;
  readonly blocks: Readonly<Record<'ethereum' | 'partner', bigint>>;
  /** How many statements were checked. */
  readonly statements: number;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/**
 * Computes the reserves from a reader's nodes, and checks the hashes and signatures of the statements, and the numbers
 * of the newest one.
 *
 * @throws NoQuorumError
 */
export async function checkReserves(page: ReservesResponse, verifier: Verifier): Promise<CheckedReserves> {
  const statements = page.statements.map(toSigned);
  const newest = statements[0]?.statement;
  const finals = await readFinalHeaders(verifier);
  let ofStatement: { readonly pair: FinalHeaders; readonly assets: readonly AssetReserves[] } | null = null;
  const found = await checkStatements(statements, verifier, {
    readNumbers: async (pair) => {
      if (pair.partner.number !== newest?.partnerBlock) return null;
      try {
        const assets = await readReserves(verifier, pair);
        ofStatement = { pair, assets };
        return assets;
      } catch (error) {
        // Most nodes keep states of recent blocks only.
        if (error instanceof NoQuorumError) return null;
        throw error;
      }
    },
    isLockedRead: true,
    isWhole: page.nextBefore === null && statements.length > 0,
  });
  const { pair, assets } = ofStatement ?? { pair: finals, assets: await readReserves(verifier, finals) };
  const digests = page.statements.flatMap((one) =>
    reservesDigest(toSigned(one).statement, verifier.settings.ethereum) === one.digest
      ? []
      : [`Day ${one.day}: its digest is another one.`],
  );
  return {
    assets,
    isOfStatement: ofStatement !== null,
    blocks: { ethereum: pair.ethereum.number, partner: pair.partner.number },
    statements: statements.length,
    problems: [
      ...assets.map(findShortage).filter((why) => why !== null),
      ...found.map(({ day, why }) => `Day ${day}: ${why}`),
      ...digests,
    ],
  };
}

function toSigned({
  day,
  previous,
  ethereum,
  partner,
  assets,
  attesterSet,
  signatures,
}: ReservesStatementResponse): SignedReserves {
  return {
    statement: {
      day: BigInt(day),
      previous,
      ethereumBlock: BigInt(ethereum.number),
      ethereumHash: ethereum.hash,
      partnerBlock: BigInt(partner.number),
      partnerHash: partner.hash,
      assets: assets.map(({ asset, locked, supply, held, inFlight, fees }) => ({
        asset,
        locked: BigInt(locked),
        supply: BigInt(supply),
        held: BigInt(held),
        inFlight: BigInt(inFlight),
        fees: BigInt(fees),
      })),
    },
    setNumber: BigInt(attesterSet),
    signatures,
  };
}
