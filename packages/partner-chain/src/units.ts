import { PartnerChainError } from './errors.js';

/**
 * The coin has 18 decimals in JSON-RPC and 8 inside the EVM: one unit inside the EVM is 10^10 wei outside
 * (specification "JSON-RPC gateway", decimals rule). Only this file converts between the two.
 */
export const WEI_PER_UNIT = 10n ** 10n;

/**
 * Converts wei (18 decimals) to units of the EVM.
 *
 * @returns units of 8 decimals.
 * @throws PartnerChainError DUST for a fraction of a unit. Values are refused, never rounded.
 */
export function toUnits(wei: bigint): bigint {
  const dust = wei % WEI_PER_UNIT;
  if (dust !== 0n) {
    throw new PartnerChainError(
      'DUST',
      `value ${wei} wei is not a multiple of ${WEI_PER_UNIT} wei; ${dust} wei would be lost`,
    );
  }
  return wei / WEI_PER_UNIT;
}

/** Converts a fee in wei to units of 8 decimals, rounded up so that no fraction of the fee is lost. */
export function feeInUnits(wei: bigint): bigint {
  return (wei + WEI_PER_UNIT - 1n) / WEI_PER_UNIT;
}
