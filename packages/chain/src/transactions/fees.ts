import type { PublicClient } from 'viem';
import { askNode } from '../rpc/chain-error.js';

/** Fees of an EIP-1559 transaction, in wei per gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The required fees exceed the operator's cap. */
export class FeeCapError extends Error {
  override readonly name = 'FeeCapError';
  constructor(needed: bigint, cap: bigint) {
    super(`The transaction needs ${needed} wei per gas, but the cap is ${cap}: wait, or raise MAX_FEE_GWEI`);
  }
}

/**
 * Estimates the fees of a new transaction: the current base fee may double, which takes at least six full blocks
 * (EIP-1559: an eighth per block), within the operator's cap.
 *
 * @param cap maximum wei per gas.
 * @param minPriorityFeeWei lower bound of the tip, for chains whose nodes propose too little.
 * @throws FeeCapError when the current base fee and tip exceed the cap; NodeUnavailableError, NodeRefusedError
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
 * Computes the fees of a replacement transaction. Nodes require a tenth more on both fees; this adds an eighth, and
 * uses the current fees when those are higher.
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
