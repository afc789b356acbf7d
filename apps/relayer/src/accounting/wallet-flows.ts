import { assetInfo } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { isAddressEqual, parseEventLogs, zeroAddress, type Address, type Log, type TransactionReceipt } from 'viem';

/** A mined transaction that a wallet sent. `value` in wei. */
export interface SentTransaction {
  readonly to: Address | null;
  readonly value: bigint;
  readonly receipt: Pick<TransactionReceipt, 'status' | 'gasUsed' | 'effectiveGasPrice'> & {
    readonly logs: readonly Log[];
  };
}

/** A wallet's balance at both ends of a range of blocks, and the known flows in between. All in wei. */
export interface BalanceChange {
  readonly before: bigint;
  readonly after: bigint;
  readonly received: bigint;
  readonly spent: bigint;
}

/** The balance above the expected one; negative when coin is missing. */
export function computeDifference({ before, after, received, spent }: BalanceChange): bigint {
  return after - (before + received - spent);
}

/** Sums the cost of transactions for their sender: fees, and the values of those that succeeded. */
export function spentOn(
  transactions: readonly SentTransaction[],
  bridge: Address,
  side: 'ethereum' | 'partner',
): bigint {
  return transactions.reduce((sum, { receipt, ...sent }) => {
    const fee = side === 'partner' ? computeFee(receipt) : receipt.gasUsed * receipt.effectiveGasPrice;
    if (receipt.status !== 'success') return sum + fee;
    const returned = side === 'partner' ? returnedTo({ ...sent, receipt }, bridge) : 0n;
    return sum + fee + sent.value - returned;
  }, 0n);
}

/** The fee of a transaction on the partner chain, rounded up to its unit of 8 decimals. */
export function computeFee({
  gasUsed,
  effectiveGasPrice,
}: Pick<TransactionReceipt, 'gasUsed' | 'effectiveGasPrice'>): bigint {
  const { granularity } = assetInfo('XCN');
  const fee = gasUsed * effectiveGasPrice;
  return ((fee + granularity - 1n) / granularity) * granularity;
}

/** A batch of mints returns the value of skipped items to its sender. A batch that pays no coin receives no value. */
function returnedTo({ to, value, receipt }: SentTransaction, bridgeMint: Address): bigint {
  if (value === 0n || to === null || !isAddressEqual(to, bridgeMint)) return 0n;
  const events = parseEventLogs({ abi: bridgeMintAbi, logs: [...receipt.logs] });
  // These calls keep their whole value.
  if (events.some(({ eventName }) => ['Swept', 'ToppedUp', 'Refunded'].includes(eventName))) return 0n;
  return events.reduce(
    (rest, event) => (event.eventName === 'Mint' && event.args.token === zeroAddress ? rest - event.args.amount : rest),
    value,
  );
}

/** Blocks in the first range and in the largest. */
const FIRST_RANGE = 64n;
const LARGEST_RANGE = 10_000n;

/**
 * The length of the next range: doubled after a range that was explained as a whole, halved after one that needs a
 * closer check.
 */
export class RangeSize {
  private size = FIRST_RANGE;

  /** The last block of the next range after `from`, between `from + 1` and `last`. */
  end(from: bigint, last: bigint): bigint {
    return from + this.size < last ? from + this.size : last;
  }

  grow(): void {
    this.size = this.size * 2n < LARGEST_RANGE ? this.size * 2n : LARGEST_RANGE;
  }

  shrink(from: bigint, to: bigint): void {
    this.size = to - from > 1n ? (to - from) / 2n : 1n;
  }
}
