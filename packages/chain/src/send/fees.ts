import type { PublicClient } from 'viem';

/** Fees of an EIP-1559 transaction, in wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The next fees could not be paid: they are above what the operator allows. */
export class FeeCapError extends Error {
  override readonly name = 'FeeCapError';
  constructor(needed: bigint, cap: bigint) {
    super(`The market asks ${needed} wei per gas, the most allowed is ${cap}`);
  }
}

/**
 * Fees for a transaction now: room for the base fee to double, within the operator's cap.
 *
 * @throws FeeCapError when the market is above the cap.
 */
export async function estimateFees(client: PublicClient, cap: bigint): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas({
    type: 'eip1559',
    chain: client.chain,
  });
  return withinCap({ maxFeePerGas, maxPriorityFeePerGas }, maxPriorityFeePerGas, cap);
}

/**
 * Fees that replace a transaction under the same nonce: nodes ask for a tenth more on both, here an eighth, and at least
 * what the market asks.
 *
 * @throws FeeCapError when no replacement fits under the cap.
 */
export function bumpFees(previous: Fees, market: Fees, cap: bigint): Fees {
  const raised = (fee: bigint) => fee + fee / 8n + 1n;
  const maxPriorityFeePerGas = larger(raised(previous.maxPriorityFeePerGas), market.maxPriorityFeePerGas);
  const maxFeePerGas = larger(larger(raised(previous.maxFeePerGas), market.maxFeePerGas), maxPriorityFeePerGas);
  return withinCap(
    { maxFeePerGas, maxPriorityFeePerGas },
    larger(raised(previous.maxFeePerGas), maxPriorityFeePerGas),
    cap,
  );
}

function withinCap(fees: Fees, least: bigint, cap: bigint): Fees {
  if (least > cap) throw new FeeCapError(least, cap);
  return fees.maxFeePerGas <= cap ? fees : { ...fees, maxFeePerGas: cap };
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
