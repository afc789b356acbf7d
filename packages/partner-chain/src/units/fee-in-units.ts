import { WEI_PER_UNIT } from './native-unit.js';

/** The units of 8 decimals that pay a fee of `wei`: rounded up, so that no fraction of a fee is ever lost. */
export function feeInUnits(wei: bigint): bigint {
  return (wei + WEI_PER_UNIT - 1n) / WEI_PER_UNIT;
}
