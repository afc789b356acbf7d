import type { PublicClient } from 'viem';
import { askNode } from '../rpc/ask-node.js';

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
 * Fees for a transaction now: room for the base fee to double, which takes at least six full blocks (EIP-1559: an eighth
 * a block), within the operator's cap.
 *
 * @param minPriorityFeeWei the least tip, for chains whose nodes propose too little.
 * @throws FeeCapError when base fee and tip of now are above the cap; NodeUnavailableError, NodeRefusedError
 */
export async function estimateFees(
  client: PublicClient,
  cap: bigint,
  { minPriorityFeeWei = 0n }: { readonly minPriorityFeeWei?: bigint } = {},
): Promise<Fees> {
  const [block, proposed] = await askNode(() =>
    Promise.all([client.getBlock({ blockTag: 'latest' }), client.estimateMaxPriorityFeePerGas()]),
  );
  const baseFee = block.baseFeePerGas ?? 0n;
  const maxPriorityFeePerGas = larger(proposed, minPriorityFeeWei);
  const maxFeePerGas = 2n * baseFee + maxPriorityFeePerGas;
  return withinCap({ maxFeePerGas, maxPriorityFeePerGas }, baseFee + maxPriorityFeePerGas, cap);
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
