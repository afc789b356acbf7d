import {
  compactSignatureToSignature,
  decodeAbiParameters,
  isAddressEqual,
  recoverAddress,
  serializeSignature,
  size,
  slice,
  type Address,
  type Hex,
} from 'viem';
import { BridgeError } from './errors.js';

/** The maximum that BridgeLock accepts with a release. */
const MAX_SIGNATURE_BYTES = 1_024;
/** Half the order of secp256k1. A signature with a greater s is malleable (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** Suffix of a signature that includes the deployment of its account (ERC-6492). */
const ERC6492_SUFFIX = '6492'.repeat(16);
const ERC6492_BODY = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;

/** A signature in the form that its account verifies. */
interface AccountSignature {
  readonly signature: Hex;
  /** True if the signature included the deployment of its account (ERC-6492). */
  readonly wasWrapped: boolean;
}

/**
 * Removes the ERC-6492 wrapper of a signature. The deployment inside is ignored: only a deployed account can verify a
 * signature, and it verifies the inner one.
 *
 * @param text any text.
 * @throws BridgeError SIGNATURE_INVALID for text that is not hex or a malformed wrapper; VALIDATION_ERROR above the
 *   1,024 bytes that a release can carry.
 */
export function unwrapSignature(text: string): AccountSignature {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) throw invalid('must be whole bytes of hex');
  const wasWrapped = text.toLowerCase().endsWith(ERC6492_SUFFIX);
  const signature = wasWrapped ? innerSignature(text as Hex) : (text as Hex);
  if (size(signature) <= MAX_SIGNATURE_BYTES) return { signature, wasWrapped };
  throw new BridgeError('VALIDATION_ERROR', `signature must be at most ${MAX_SIGNATURE_BYTES} bytes`, {
    field: 'signature',
  });
}

/**
 * Expands a compact signature of 64 bytes (EIP-2098) to the 65 bytes that a release carries. Any other length is
 * returned unchanged.
 */
export function expandSignature(signature: Hex): Hex {
  if (!/^0x[0-9a-fA-F]{128}$/.test(signature)) return signature;
  const [r, yParityAndS] = [slice(signature, 0, 32), slice(signature, 32)];
  return serializeSignature(compactSignatureToSignature({ r, yParityAndS }));
}

/**
 * Returns whether the key of an account signed a digest, as 65 canonical bytes or in the compact form. Never throws.
 */
export async function isSignedByKey(digest: Hex, signature: Hex, account: Address): Promise<boolean> {
  try {
    const expanded = expandSignature(signature);
    assertCanonical(expanded);
    return isAddressEqual(await recoverSigner(digest, expanded), account);
  } catch {
    return false;
  }
}

/** @throws BridgeError SIGNATURE_INVALID when the signature is not the canonical form of 65 bytes. */
export function assertCanonical(signature: Hex): void {
  if (!/^0x[0-9a-fA-F]+$/.test(signature) || size(signature) !== 65)
    throw invalid('must be 65 bytes of hex, or 64 in the compact form of EIP-2098');
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = BigInt(`0x${signature.slice(130)}`);
  if (s === 0n || s > HALF_ORDER) throw invalid('has an s outside the lower half of the curve order');
  if (v !== 0n && v !== 1n && v !== 27n && v !== 28n) throw invalid('has a recovery byte that is not 0, 1, 27 or 28');
}

/** @throws BridgeError SIGNATURE_INVALID when the signature recovers to no address. */
export async function recoverSigner(digest: Hex, signature: Hex): Promise<Address> {
  try {
    return await recoverAddress({ hash: digest, signature });
  } catch (cause) {
    throw invalid('does not recover to any address', cause);
  }
}

/** ERC-6492: abi.encode(factory, its call data, signature), and the suffix. */
function innerSignature(wrapped: Hex): Hex {
  try {
    return decodeAbiParameters(ERC6492_BODY, slice(wrapped, 0, -32))[2];
  } catch (cause) {
    throw invalid('ends with the ERC-6492 suffix but is not a valid ERC-6492 wrapper', cause);
  }
}

function invalid(message: string, cause?: unknown): BridgeError {
  return new BridgeError('SIGNATURE_INVALID', `signature ${message}`, { field: 'signature', cause });
}
