import type { ChainReader, StoredBlock } from '../storage/chain-reader.js';
import type { CallRequest } from './call-request.js';
import type { ExecutionResult } from './execution-result.js';
import type { Machine } from './machine.js';
import { revertError } from './revert-error.js';
import { CALL_GAS_CAP, simulate } from './simulate.js';

/** An estimate may be this share above the least gas that does: 1/64, as geth's. */
const TOLERANCE = 64n;

/**
 * The gas with which a call succeeds as a transaction, lazy accounts included.
 *
 * @throws ChainError EXECUTION_REVERTED when it fails with all the gas it may have, and what `simulate` throws.
 */
export async function estimateGas(
  machine: Machine,
  reader: ChainReader,
  block: StoredBlock,
  request: CallRequest,
): Promise<bigint> {
  // A price is only promised: what can be paid for is not what is needed.
  const run = (gas: bigint): Promise<ExecutionResult> =>
    simulate(machine, reader, block, { ...request, gas, gasPrice: 0n });
  const cap = request.gas === null || request.gas > CALL_GAS_CAP ? CALL_GAS_CAP : request.gas;
  const widest = await run(cap);
  if (widest.status === 0) throw revertError(widest);
  let failing = widest.gasUsed - 1n;
  let enough = cap;
  // Mostly what was used is what is needed; only calls that pass on all but a part of their gas want more (EIP-150).
  let guess = widest.gasNeeded;
  while (enough - failing > 1n && enough - failing > enough / TOLERANCE) {
    if ((await run(guess)).status === 1) enough = guess;
    else failing = guess;
    if (enough === widest.gasNeeded) return enough;
    guess = (failing + enough) / 2n;
  }
  return enough;
}
