import type { Hex } from 'viem';
import type { AssetLimits } from '../configuration/configuration.js';
import type { SignedEntry } from '../record/entry.js';

const HOUR_MS = 3_600_000;

/** An amount that leaves a contract. */
export type Outflow = Pick<SignedEntry, 'id' | 'side' | 'asset' | 'amount'>;

/** Earlier signatures. */
interface Signatures {
  signedSince(sinceMs: number): readonly (Outflow & Pick<SignedEntry, 'signedAtMs'>)[];
}

/** A payment above a limit. `isFinal`: waiting does not help. */
export interface Excess {
  readonly payment: Outflow;
  readonly why: string;
  readonly isFinal: boolean;
}

/**
 * Finds a payment above the own limits; null for none. An operation that is signed again counts once, with its largest
 * amount, because the contracts pay it once.
 *
 * @param limits by asset; an asset without an entry has no limit.
 */
export function findExcess(
  limits: ReadonlyMap<string, AssetLimits>,
  record: Signatures,
  payments: readonly Outflow[],
  nowMs: number,
): Excess | null {
  for (const payment of payments) {
    const most = limits.get(payment.asset)?.delivery;
    if (most !== undefined && payment.amount > most)
      return {
        payment,
        isFinal: true,
        why: `It is ${payment.amount} ${payment.asset} units, above the own limit of ${most}.`,
      };
  }
  const recent = record.signedSince(nowMs - HOUR_MS);
  for (const payment of payments) {
    const { asset, side } = payment;
    const most = limits.get(asset)?.hour;
    if (most === undefined) continue;
    const sum = sumOnce([...recent, ...payments].filter((each) => each.asset === asset && each.side === side));
    if (sum > most)
      return {
        payment,
        isFinal: false,
        why: `The hour's ${asset} would be ${sum} units, above the own limit of ${most}.`,
      };
  }
  return null;
}

function sumOnce(outflows: readonly Outflow[]): bigint {
  const largest = new Map<Hex, bigint>();
  for (const { id, amount } of outflows) {
    const known = largest.get(id) ?? 0n;
    largest.set(id, amount > known ? amount : known);
  }
  return [...largest.values()].reduce((sum, amount) => sum + amount, 0n);
}
