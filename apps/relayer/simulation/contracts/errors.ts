import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testUsdcAbi } from '@causeway/protocol/abi';
import type { Abi } from 'viem';
import { Revert } from '../chain/execution.ts';
import { encodeError, type AbiError } from '../chain/parameters.ts';

const all: Abi = [...bridgeLockAbi, ...bridgeMintAbi, ...bridgedTokenAbi, ...testUsdcAbi];
const errors = new Map(
  all.filter((item): item is AbiError => item.type === 'error').map((item) => [item.name, item] as const),
);

/**
 * Reverts with a custom error of the contracts.
 *
 * @throws Revert always.
 */
export function revert(name: string, ...values: readonly unknown[]): never {
  const error = errors.get(name);
  if (error === undefined) throw new Error(`No contract has the error ${name}`);
  throw new Revert(encodeError(error, values));
}
