import type { PublicClient } from 'viem';
import { askNode } from '../rpc/chain-error.js';
import type { Fees } from '../transactions/sign-transaction.js';

/** Blocks of the fee history to read, and the percentile of their tips by gas. */
const HISTORY_BLOCKS = 10;
const TIP_PERCENTILE = 60;

/** The fees that a transaction must offer to enter one of the next blocks, in wei per gas. */
export interface FeeMarket {
  /** Of the next block. */
  readonly baseFeePerGas: bigint;
  /** The tip of recent blocks. */
  readonly priorityFeePerGas: bigint;
}

/** The market price exceeds the operator's cap. */
export class FeeCapError extends Error {
  override readonly name = 'FeeCapError';
  constructor(needed: bigint, cap: bigint) {
    super(`The transaction needs ${needed} wei per gas, above the cap of ${cap}: wait, or raise MAX_FEE_GWEI`);
  }
}

/**
 * Reads the market from the fee history (eth_feeHistory). The tip is the median of the recent blocks' 60th percentiles;
 * if all of them are empty, it is the node's suggestion.
 *
 * @throws NodeUnavailableError, NodeRefusedError
 */
export async function readMarket(client: PublicClient): Promise<FeeMarket> {
  const history = await askNode(() =>
    client.getFeeHistory({ blockCount: HISTORY_BLOCKS, blockTag: 'latest', rewardPercentiles: [TIP_PERCENTILE] }),
  );
  const tips = history.gasUsedRatio.flatMap((ratio, index) => {
    const tip = history.reward?.[index]?.[0];
    return ratio > 0 && tip !== undefined ? [tip] : [];
  });
  const priorityFeePerGas = median(tips) ?? (await askNode(() => client.estimateMaxPriorityFeePerGas()));
  return { baseFeePerGas: history.baseFeePerGas.at(-1) ?? 0n, priorityFeePerGas };
}

/**
 * Computes the fees of a new transaction: the base fee may double, which takes at least six full blocks (EIP-1559: an
 * eighth per block), within the cap.
 *
 * @param cap maximum wei per gas.
 * @throws FeeCapError if the base fee plus the tip of the market exceed the cap.
 */
export function feesFor({ baseFeePerGas, priorityFeePerGas }: FeeMarket, cap: bigint): Fees {
  const maxFeePerGas = 2n * baseFeePerGas + priorityFeePerGas;
  return withinCap({ maxFeePerGas, maxPriorityFeePerGas: priorityFeePerGas }, baseFeePerGas + priorityFeePerGas, cap);
}

/** As `feesFor`; returns null if the market is above the cap. */
export function feesWithin(market: FeeMarket, cap: bigint): Fees | null {
  return market.baseFeePerGas + market.priorityFeePerGas > cap ? null : feesFor(market, cap);
}

/**
 * Returns whether the market has risen above a signed transaction: its fees do not cover the base fee, or leave a lower
 * tip than recent blocks took. Age alone does not count.
 */
export function isOutbid(signed: Fees, { baseFeePerGas, priorityFeePerGas }: FeeMarket): boolean {
  const left = signed.maxFeePerGas - baseFeePerGas;
  return left < 0n || smaller(left, signed.maxPriorityFeePerGas) < priorityFeePerGas;
}

/**
 * Computes the fees of a replacement transaction. Nodes require an increase of a tenth of both fees; this adds an
 * eighth, and uses the fees of the market if those are higher.
 *
 * @throws FeeCapError if no replacement fits under the cap.
 */
export function bumpFees(previous: Fees, market: FeeMarket, cap: bigint): Fees {
  const fresh = feesFor(market, larger(cap, market.baseFeePerGas + market.priorityFeePerGas));
  const raised = (fee: bigint) => fee + fee / 8n + 1n;
  const maxPriorityFeePerGas = larger(raised(previous.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas);
  const least = larger(raised(previous.maxFeePerGas), maxPriorityFeePerGas);
  return withinCap({ maxFeePerGas: larger(least, fresh.maxFeePerGas), maxPriorityFeePerGas }, least, cap);
}

function withinCap(fees: Fees, least: bigint, cap: bigint): Fees {
  if (least > cap) throw new FeeCapError(least, cap);
  return fees.maxFeePerGas <= cap ? fees : { ...fees, maxFeePerGas: cap };
}

function median(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : Number(a > b)))[values.length >> 1];
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
