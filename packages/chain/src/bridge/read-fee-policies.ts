import { ASSETS, tokenOfAsset, type AddressBook, type Asset, type FeePolicy } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { PublicClient } from 'viem';

/** The fee policies as BridgeMint has them now: the one source of truth. */
export async function readFeePolicies(partner: PublicClient, book: AddressBook): Promise<Record<Asset, FeePolicy>> {
  const entries = await Promise.all(
    ASSETS.map(async (asset) => {
      const [bps, minFee, minAmount] = await partner.readContract({
        address: book.partner.bridgeMint,
        abi: bridgeMintAbi,
        functionName: 'feePolicy',
        args: [tokenOfAsset(book, 'partner', asset)],
      });
      return [asset, { bps, minFee, minAmount }] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<Asset, FeePolicy>;
}
