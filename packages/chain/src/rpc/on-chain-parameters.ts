import { ASSETS, tokenOfAsset, type AddressBook, type Asset, type FeePolicy, type Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, PublicClient } from 'viem';

/** The block whose state is read, by default the newest one of the node. Nodes can agree only about the same block. */
interface AtBlock {
  readonly blockNumber?: bigint;
}

/** Reads the fee policies from BridgeMint, the only place where they are defined. */
export async function readFeePolicies(
  partner: PublicClient,
  book: AddressBook,
  at: AtBlock = {},
): Promise<Record<Asset, FeePolicy>> {
  return forEachAsset(async (asset) => {
    const [bps, minFee, minAmount] = await partner.readContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'feePolicy',
      args: [tokenOfAsset(book, 'partner', asset)],
      ...at,
    });
    return { bps, minFee, minAmount };
  });
}

/** What the contract of one side says about operations that begin there. */
export interface OriginTerms {
  /** Whether none can begin now: deposits on Ethereum, withdrawals on the partner chain. */
  readonly paused: boolean;
  /** False for an asset that is wound down. `maxAmount`: of one operation, in atomic units. */
  readonly assets: Readonly<Record<Asset, { readonly mayBegin: boolean; readonly maxAmount: bigint }>>;
}

/** Reads what may begin on one side. */
export async function readOriginTerms(
  client: PublicClient,
  book: AddressBook,
  side: Side,
  at: AtBlock = {},
): Promise<OriginTerms> {
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  // Both contracts inherit the functions of tokens from the same base.
  const contract = side === 'ethereum' ? lock : { ...lock, address: mint.address };
  const [paused, assets] = await Promise.all([
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'depositsPaused', ...at })
      : client.readContract({ ...mint, functionName: 'burnsPaused', ...at }),
    forEachAsset(async (asset) => {
      const args = [tokenOfAsset(book, side, asset)] as const;
      const [[mayBegin], maxAmount] = await Promise.all([
        client.readContract({ ...contract, functionName: 'tokenSettings', args, ...at }),
        client.readContract({ ...contract, functionName: 'maxAmount', args, ...at }),
      ]);
      return { mayBegin, maxAmount };
    }),
  ]);
  return { paused, assets };
}

/** Reads how much of each asset the outflow limit of one side's contract allows, in atomic units. */
export async function readOutflowRoom(
  client: PublicClient,
  book: AddressBook,
  side: Side,
  at: AtBlock = {},
): Promise<Record<Asset, bigint>> {
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  return forEachAsset((asset) => {
    const args = [tokenOfAsset(book, side, asset)] as const;
    // Both contracts inherit this function from the same base.
    return client.readContract({ address, abi: bridgeLockAbi, functionName: 'outflowRoom', args, ...at });
  });
}

/** Reads the relayer wallet of one side's contract. After a rotation, an address book may name the previous one. */
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

async function forEachAsset<T>(read: (asset: Asset) => Promise<T>): Promise<Record<Asset, T>> {
  const entries = await Promise.all(ASSETS.map(async (asset) => [asset, await read(asset)] as const));
  return Object.fromEntries(entries) as Record<Asset, T>;
}
