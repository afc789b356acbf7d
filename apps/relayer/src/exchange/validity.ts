import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { decodeFunctionData, type Abi, type Hex } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';

const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as Abi;

/** The fields that make an attestation void over time or after a change of the set. `validUntil`: Unix seconds. */
interface Consent {
  readonly setNumber: bigint;
  readonly validUntil: bigint;
}

/** Whether the attestation in a call's data has expired, so that the call can only revert. Pure. */
export function hasAttestationEnded(data: Hex, nowMs: number): boolean {
  const consent = readConsent(data);
  return consent !== null && nowMs > 1_000 * Number(consent.validUntil);
}

/**
 * Whether a call reverted because its attestation was void: it was mined after the expiry, or the attester set has
 * changed. Its operations are then not at fault.
 *
 * @param blockNumber the block that contains the call.
 * @throws QuorumError
 */
export async function wasAttestationVoid(
  data: Hex,
  blockNumber: bigint,
  { bridge: address, connection, finality }: Pick<BridgeChain, 'bridge' | 'connection' | 'finality'>,
): Promise<boolean> {
  const consent = readConsent(data);
  if (consent === null) return false;
  const block = await connection.agreedBlock(blockNumber);
  if (block !== null && block.timestampSeconds > consent.validUntil) return true;
  const at = { address, abi: bridgeLockAbi, blockNumber: await finality.recentHead() } as const;
  const [setNumber] = await connection.agree((client) => client.readContract({ ...at, functionName: 'attesters' }));
  return setNumber !== consent.setNumber;
}

/** The attestation in call data; null if there is none. */
function readConsent(data: Hex): Consent | null {
  let args: readonly unknown[] | undefined;
  try {
    ({ args } = decodeFunctionData({ abi: ABI, data }));
  } catch {
    // A transfer, a sweep, or another call that needs no consent.
    return null;
  }
  const last = args?.at(-1);
  if (typeof last !== 'object' || last === null || !('validUntil' in last) || !('setNumber' in last)) return null;
  const { setNumber, validUntil } = last;
  // The empty attestation, used while the threshold is 0, has 0.
  return typeof setNumber === 'bigint' && typeof validUntil === 'bigint' && validUntil > 0n
    ? { setNumber, validUntil }
    : null;
}
