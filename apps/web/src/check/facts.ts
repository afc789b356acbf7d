import type { BridgeOperationResponse } from '@causeway/sdk';
import {
  proveOperation,
  type OperationFacts,
  type OperationHint,
  type OperationStep,
  type Verifier,
} from '@causeway/verifier';
import type { Hex } from 'viem';

/**
 * Reads what both chains show about a transfer. The claim only spares searches: what it names is proven like the rest.
 *
 * @param asked the id of a transfer, or the hash of its first transaction.
 * @param claim what the API says; null without it.
 */
export async function readFacts(
  asked: Hex,
  claim: BridgeOperationResponse | null,
  verifier: Verifier,
  onStep?: (step: OperationStep) => void,
): Promise<OperationFacts> {
  return proveOperation(asked, claim === null ? null : toHint(claim), verifier, onStep);
}

function toHint({
  id,
  direction,
  originTxHash,
  settlement,
  destinationTxHash,
}: BridgeOperationResponse): OperationHint {
  return {
    id: toHash(id),
    isDeposit: direction === 'ETHEREUM_TO_PARTNER',
    originHash: toHash(originTxHash),
    deliveryHash: toHash(settlement?.txHash ?? destinationTxHash),
  };
}

/** A claim can be malformed. */
function toHash(value: unknown): Hex | null {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value) ? (value as Hex) : null;
}
