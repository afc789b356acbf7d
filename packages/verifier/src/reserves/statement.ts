import { concatHex, keccak256, type Address, type Hex } from 'viem';
import { encodeWords, hashStruct, hashText, type Domain } from '../digests/typed-data.js';

/** The reserves of an asset at a pair of blocks, in atomic units. `locked` covers `supply - held + inFlight`. */
export interface AssetReserves {
  /** Such as USDC. */
  readonly asset: string;
  /** Held by BridgeLock for users. */
  readonly locked: bigint;
  /** On the partner chain. For native XCN: its mints less its withdrawals and the intents released. */
  readonly supply: bigint;
  /** Handed in to relayer wallets. For native XCN: withdrawn beyond what the bridge minted. */
  readonly held: bigint;
  /** Deposits that are not minted, and withdrawals that are not released. */
  readonly inFlight: bigint;
  /** Fees that the treasury can collect from BridgeLock. */
  readonly fees: bigint;
}

/** The reserves at the final blocks of one day. Attesters sign it. */
export interface ReservesStatement {
  /** The Unix day of the partner block. */
  readonly day: bigint;
  /** The digest of the statement before; 32 zero bytes in the first one. */
  readonly previous: Hex;
  readonly ethereumBlock: bigint;
  readonly ethereumHash: Hex;
  readonly partnerBlock: bigint;
  readonly partnerHash: Hex;
  /** In the order of their symbols. */
  readonly assets: readonly AssetReserves[];
}

/** A statement with the signatures of attesters. */
export interface SignedReserves {
  readonly statement: ReservesStatement;
  /** Number of BridgeLock's attester set at the Ethereum block. */
  readonly setNumber: bigint;
  readonly signatures: readonly { readonly attester: Address; readonly signature: Hex }[];
}

export const DAY_SECONDS = 86_400n;

const ASSET_TYPE =
  'AssetReserves(string asset,uint256 locked,uint256 supply,uint256 held,uint256 inFlight,uint256 fees)';
const STATEMENT_TYPE =
  'Reserves(uint256 day,bytes32 previous,uint256 ethereumBlock,bytes32 ethereumHash,uint256 partnerBlock,' +
  `bytes32 partnerHash,AssetReserves[] assets)${ASSET_TYPE}`;

/**
 * The EIP-712 digest of a statement, which attesters sign and the next statement names.
 *
 * @param domain that of BridgeLock.
 */
export function reservesDigest(statement: ReservesStatement, domain: Domain): Hex {
  const { day, previous, ethereumBlock, ethereumHash, partnerBlock, partnerHash, assets } = statement;
  const hashes = assets.map(hashAsset);
  return hashStruct(domain, STATEMENT_TYPE, [
    ['uint256', day],
    ['bytes32', previous],
    ['uint256', ethereumBlock],
    ['bytes32', ethereumHash],
    ['uint256', partnerBlock],
    ['bytes32', partnerHash],
    ['bytes32', keccak256(hashes.length === 0 ? '0x' : concatHex(hashes))],
  ]);
}

function hashAsset({ asset, locked, supply, held, inFlight, fees }: AssetReserves): Hex {
  return keccak256(
    encodeWords([
      ['bytes32', hashText(ASSET_TYPE)],
      ['bytes32', hashText(asset)],
      ['uint256', locked],
      ['uint256', supply],
      ['uint256', held],
      ['uint256', inFlight],
      ['uint256', fees],
    ]),
  );
}
