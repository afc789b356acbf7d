import { ASSETS, tokenOfAsset, type AddressBook, type Asset, type FeePolicy, type Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, PublicClient } from 'viem';

/** Reads the current fee policies from BridgeMint, the only place where they are defined. */
export async function readFeePolicies(partner: PublicClient, book: AddressBook): Promise<Record<Asset, FeePolicy>> {
  return forEachAsset(async (asset) => {
    const [bps, minFee, minAmount] = await partner.readContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'feePolicy',
      args: [tokenOfAsset(book, 'partner', asset)],
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

/** Reads what may begin on one side now. */
export async function readOriginTerms(client: PublicClient, book: AddressBook, side: Side): Promise<OriginTerms> {
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  // Both contracts inherit the functions of tokens from the same base.
  const contract = side === 'ethereum' ? lock : { ...lock, address: mint.address };
  const [paused, assets] = await Promise.all([
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'depositsPaused' })
      : client.readContract({ ...mint, functionName: 'burnsPaused' }),
    forEachAsset(async (asset) => {
      const args = [tokenOfAsset(book, side, asset)] as const;
      const [[mayBegin], maxAmount] = await Promise.all([
        client.readContract({ ...contract, functionName: 'tokenSettings', args }),
        client.readContract({ ...contract, functionName: 'maxAmount', args }),
      ]);
      return { mayBegin, maxAmount };
    }),
  ]);
  return { paused, assets };
}

/** Reads how much of each asset the outflow limit of one side's contract allows now, in atomic units. */
export async function readOutflowRoom(
  client: PublicClient,
  book: AddressBook,
  side: Side,
): Promise<Record<Asset, bigint>> {
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  return forEachAsset((asset) => {
    const args = [tokenOfAsset(book, side, asset)] as const;
    // Both contracts inherit this function from the same base.
    return client.readContract({ address, abi: bridgeLockAbi, functionName: 'outflowRoom', args });
  });
}

/** Reads the current relayer wallet of each contract. After a rotation, an address book may name the previous one. */
export async function readRelayers(
  clients: { readonly ethereum: PublicClient; readonly partner: PublicClient },
  book: AddressBook,
): Promise<{ readonly ethereum: Address; readonly partner: Address }> {
  const [ethereum, partner] = await Promise.all([
    clients.ethereum.readContract({ address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName: 'relayer' }),
    clients.partner.readContract({ address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'relayer' }),
  ]);
  return { ethereum, partner };
}

async function forEachAsset<T>(read: (asset: Asset) => Promise<T>): Promise<Record<Asset, T>> {
  const entries = await Promise.all(ASSETS.map(async (asset) => [asset, await read(asset)] as const));
  return Object.fromEntries(entries) as Record<Asset, T>;
}
