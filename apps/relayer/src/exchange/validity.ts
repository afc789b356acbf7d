import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { decodeFunctionData, type Abi, type Hex } from 'viem';

const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as Abi;

/** Whether the attestation in the call data of a call has ended, so that the call can only revert. Pure. */
export function hasAttestationEnded(data: Hex, nowMs: number): boolean {
  const validUntil = readValidUntil(data);
  return validUntil !== null && nowMs > 1_000 * Number(validUntil);
}

/** The end of the attestation in call data, in Unix seconds; null without one. */
function readValidUntil(data: Hex): bigint | null {
  let args: readonly unknown[] | undefined;
  try {
    ({ args } = decodeFunctionData({ abi: ABI, data }));
  } catch {
    // A transfer, a sweep, or another call that needs no consent.
    return null;
  }
  const last = args?.at(-1);
  if (typeof last !== 'object' || last === null || !('validUntil' in last)) return null;
  // The empty attestation, while the contracts ask for none, has 0.
  return typeof last.validUntil === 'bigint' && last.validUntil > 0n ? last.validUntil : null;
}
