import type { Asset } from '../assets/asset.js';
import { BridgeError } from '../errors/bridge-error.js';

/** What a withdrawal of an asset costs. The live policy is in BridgeMint, the one source of truth. */
export interface FeePolicy {
  /** Rate in basis points. */
  readonly bps: number;
  /** The least fee, in atomic units. */
  readonly minFee: bigint;
  /** The least amount that may be withdrawn, in atomic units. */
  readonly minAmount: bigint;
}

const XCN = 10n ** 18n;
const USDC = 10n ** 6n;

/** The figures of the specification (Limits), with which a deployment begins. */
export const DEFAULT_FEE_POLICIES: Readonly<Record<Asset, FeePolicy>> = {
  ETH: { bps: 25, minFee: 3n * 10n ** 15n, minAmount: 10n ** 16n },
  USDC: { bps: 25, minFee: 5n * USDC, minAmount: 10n * USDC },
  XCN: { bps: 25, minFee: 1_000n * XCN, minAmount: 5_000n * XCN },
};

/**
 * Refuses a policy under which an allowed withdrawal could deliver nothing.
 *
 * @throws BridgeError VALIDATION_ERROR naming `bps`, `minFee` or `minAmount`.
 */
export function validateFeePolicy(policy: FeePolicy): FeePolicy {
  if (policy.bps % 1 !== 0 || policy.bps < 0 || policy.bps >= 10_000) throw refuse('bps', 'from 0 to 9999');
  if (policy.minFee < 0n) throw refuse('minFee', 'at least 0');
  if (policy.minAmount <= policy.minFee) throw refuse('minAmount', 'above minFee, or the output could be nothing');
  return policy;
}

function refuse(field: string, rule: string): BridgeError {
  return new BridgeError('VALIDATION_ERROR', `${field} must be ${rule}`, { field });
}
