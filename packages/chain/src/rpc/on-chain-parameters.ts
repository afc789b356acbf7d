import {
  listAssets,
  getToken,
  type AddressBook,
  type Asset,
  type FeePolicy,
  type PerAsset,
  type Side,
} from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, PublicClient } from 'viem';

/** The block whose state is read. Default: the node's newest. Nodes can agree only about the same block. */
interface AtBlock {
  readonly blockNumber?: bigint;
}

/** Reads the fee policies from BridgeMint, which defines them. */
export async function readFeePolicies(
  partner: PublicClient,
  book: AddressBook,
  at: AtBlock = {},
): Promise<PerAsset<FeePolicy>> {
  return forEachAsset(async (asset) => {
    const [bps, minFee, minAmount] = await partner.readContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'feePolicy',
      args: [getToken(book, 'partner', asset)],
      ...at,
    });
    return { bps, minFee, minAmount };
  });
}

/** The contract's terms for operations that begin on one side. */
export interface OriginTerms {
  /** True while no operation can begin: deposits on Ethereum, withdrawals on the partner chain. */
  readonly paused: boolean;
  /** `mayBegin`: false for a closed asset. `maxAmount`: maximum of one operation, in atomic units. */
  readonly assets: PerAsset<{ readonly mayBegin: boolean; readonly maxAmount: bigint }>;
}

/** Reads the terms of operations that begin on one side. */
export async function readOriginTerms(
  client: PublicClient,
  book: AddressBook,
  side: Side,
  at: AtBlock = {},
): Promise<OriginTerms> {
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  // Both contracts inherit the token functions from the same base.
  const contract = side === 'ethereum' ? lock : { ...lock, address: mint.address };
  const [paused, assets] = await Promise.all([
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'depositsPaused', ...at })
      : client.readContract({ ...mint, functionName: 'burnsPaused', ...at }),
    forEachAsset(async (asset) => {
      const args = [getToken(book, side, asset)] as const;
      const [[mayBegin], maxAmount] = await Promise.all([
        client.readContract({ ...contract, functionName: 'tokenSettings', args, ...at }),
        client.readContract({ ...contract, functionName: 'maxAmount', args, ...at }),
      ]);
      return { mayBegin, maxAmount };
    }),
  ]);
  return { paused, assets };
}

/** The funds and limits of an asset for deliveries on one side, in atomic units. */
export interface DestinationAsset {
  /** False while deliveries of the asset are stopped. */
  readonly mayDeliver: boolean;
  /** Remaining outflow, its capacity, the seconds in which it refills, and the counted unit. */
  readonly room: bigint;
  readonly capacity: bigint;
  readonly windowSeconds: bigint;
  readonly unit: bigint;
  /** Collateral of BridgeLock, or float of native XCN in BridgeMint; null for tokens, which BridgeMint mints. */
  readonly held: bigint | null;
}

/**
 * The contract's terms for deliveries on one side: releases on Ethereum, mints on the partner chain.
 */
export interface DestinationTerms {
  readonly paused: boolean;
  readonly assets: Readonly<Record<Asset, DestinationAsset>>;
}

/** Reads the terms of deliveries on one side. */
export async function readDestinationTerms(
  client: PublicClient,
  book: AddressBook,
  side: Side,
  assets: readonly Asset[],
  at: AtBlock = {},
): Promise<DestinationTerms> {
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi, ...at } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi, ...at } as const;
  // Both contracts inherit the limit functions from the same base.
  const contract = side === 'ethereum' ? lock : { ...lock, address: mint.address };
  const readHeld = (asset: Asset) => {
    const args = [getToken(book, side, asset)] as const;
    if (side === 'ethereum') return client.readContract({ ...lock, functionName: 'locked', args });
    return asset === 'XCN' ? client.readContract({ ...mint, functionName: 'float' }) : null;
  };
  const read = async (asset: Asset): Promise<[Asset, DestinationAsset]> => {
    const args = [getToken(book, side, asset)] as const;
    const [room, [capacity, windowSeconds], [, mayDeliver, , unit], held] = await Promise.all([
      client.readContract({ ...contract, functionName: 'outflowRoom', args }),
      client.readContract({ ...contract, functionName: 'outflowLimit', args }),
      client.readContract({ ...contract, functionName: 'tokenSettings', args }),
      readHeld(asset),
    ]);
    return [asset, { mayDeliver, room, capacity, windowSeconds, unit: unit === 0n ? 1n : unit, held }];
  };
  const [paused, entries] = await Promise.all([
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'releasesPaused' })
      : client.readContract({ ...mint, functionName: 'mintsPaused' }),
    Promise.all(assets.map(read)),
  ]);
  return { paused, assets: Object.fromEntries(entries) };
}

/** Reads the relayer wallet from one side's contract. After a rotation an address book can be outdated. */
export async function readRelayer(
  client: PublicClient,
  book: AddressBook,
  side: Side,
  at: AtBlock = {},
): Promise<Address> {
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  // Both contracts inherit this function from the same base.
  return client.readContract({ address, abi: bridgeLockAbi, functionName: 'relayer', ...at });
}

async function forEachAsset<T>(read: (asset: Asset) => Promise<T>): Promise<PerAsset<T>> {
  const entries = await Promise.all(listAssets().map(async (asset) => [asset, await read(asset)] as const));
  return Object.fromEntries(entries) as PerAsset<T>;
}
