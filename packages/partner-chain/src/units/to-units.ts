import { ChainError } from '../errors/chain-error.js';
import { WEI_PER_UNIT } from './native-unit.js';

/**
 * The EVM's value of an amount in wei (18 decimals).
 *
 * @returns units of 8 decimals.
 * @throws ChainError DUST when a fraction of a unit would be lost: a value is refused rather than rounded.
 */
export function toUnits(wei: bigint): bigint {
  const dust = wei % WEI_PER_UNIT;
  if (dust !== 0n) {
    throw new ChainError(
      'DUST',
      `value ${wei} wei is not a multiple of ${WEI_PER_UNIT} wei; ${dust} wei would be lost`,
    );
  }
  return wei / WEI_PER_UNIT;
}
