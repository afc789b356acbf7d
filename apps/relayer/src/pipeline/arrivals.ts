import { assetInfo, type AddressBook } from '@causeway/protocol';
import type { ScannedDust, ScannedTransfer } from '@causeway/store';
import type { Address } from 'viem';

/**
 * The wallet of an arrival. A thief may hold a former wallet's key, so a transfer to a former wallet pays no intent.
 */
export function receiver(
  wallet: Address,
  { relayer }: Pick<AddressBook, 'relayer'>,
): Pick<ScannedTransfer, 'wallet' | 'isToFormerWallet'> {
  return { wallet, isToFormerWallet: wallet !== relayer.toLowerCase() };
}

/** The arrivals of a block: each larger transfer, and the dust, summed per wallet, asset and payer. */
export interface Arrivals {
  readonly transfers: readonly ScannedTransfer[];
  readonly dust: readonly ScannedDust[];
}

/** Separates dust, so that an account that sends a lot of it creates few rows. Pure. */
export function separateDust(arrivals: readonly ScannedTransfer[]): Arrivals {
  const transfers: ScannedTransfer[] = [];
  const sums = new Map<string, ScannedDust>();
  for (const transfer of arrivals) {
    const { wallet, asset, payer, amount } = transfer;
    if (amount >= assetInfo(asset).dust) {
      transfers.push(transfer);
      continue;
    }
    const key = `${wallet} ${asset} ${payer}`;
    const before = sums.get(key);
    sums.set(key, {
      wallet,
      asset,
      payer,
      amount: amount + (before?.amount ?? 0n),
      transfers: 1 + (before?.transfers ?? 0),
    });
  }
  return { transfers, dust: [...sums.values()] };
}
