import { assetInfo, type AddressBook } from '@causeway/protocol';
import type { ScannedDust, ScannedTransfer } from '@causeway/store';
import type { Address } from 'viem';

/** The wallet that an arrival came to. A former one may be a thief's, so what comes there pays no intent. */
export function receiver(
  wallet: Address,
  { relayer }: Pick<AddressBook, 'relayer'>,
): Pick<ScannedTransfer, 'wallet' | 'isToFormerWallet'> {
  return { wallet, isToFormerWallet: wallet !== relayer.toLowerCase() };
}

/** The arrivals of a block: those that are kept one by one, and the dust, summed per wallet, asset and payer. */
export interface Arrivals {
  readonly transfers: readonly ScannedTransfer[];
  readonly dust: readonly ScannedDust[];
}

/** Separates dust, so that an account that sends much of it makes few rows. Pure. */
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
