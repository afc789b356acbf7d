import type { AddressBook } from '@causeway/contracts/address-book';
import type { Hex } from 'viem';

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

/** A relayer's proposal of a statement: a day and a pair of final blocks. */
export interface ReservesProposal {
  /** The Unix day of the partner block. */
  readonly day: bigint;
  /** The digest of the statement before; 32 zero bytes in the first one. */
  readonly previous: Hex;
  readonly ethereumBlock: bigint;
  readonly ethereumHash: Hex;
  readonly partnerBlock: bigint;
  readonly partnerHash: Hex;
}

/** The reserves at the final blocks of one day. Attesters sign it. */
export interface ReservesStatement extends ReservesProposal {
  /** In the order of their symbols. */
  readonly assets: readonly AssetReserves[];
}

const word = (name: string) => ({ name, type: 'uint256' });
const hash = (name: string) => ({ name, type: 'bytes32' });
const ASSET = [{ name: 'asset', type: 'string' }, ...['locked', 'supply', 'held', 'inFlight', 'fees'].map(word)];
const STATEMENT = [
  word('day'),
  hash('previous'),
  word('ethereumBlock'),
  hash('ethereumHash'),
  word('partnerBlock'),
  hash('partnerHash'),
  { name: 'assets', type: 'AssetReserves[]' },
];

/** The typed data of a statement, in the domain of BridgeLock. No function of a contract accepts its signature. */
export function reservesTypedData(
  { chainId, bridgeLock }: Pick<AddressBook['ethereum'], 'chainId' | 'bridgeLock'>,
  message: ReservesStatement,
) {
  return {
    domain: { name: 'Causeway', version: '1', chainId, verifyingContract: bridgeLock },
    types: { Reserves: STATEMENT, AssetReserves: ASSET },
    primaryType: 'Reserves',
    message: { ...message },
  } as const;
}
