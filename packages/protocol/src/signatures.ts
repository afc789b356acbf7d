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

/** BridgeLock takes no longer signature with a release. */
const MAX_SIGNATURE_BYTES = 1_024;
/** Half the order of secp256k1. A signature with a greater s is the mirror image of another one (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** The end of a signature that carries the deployment of its account (ERC-6492). */
const ERC6492_SUFFIX = '6492'.repeat(16);
const ERC6492_BODY = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;

/** A signature in the form in which its account verifies it. */
interface AccountSignature {
  readonly signature: Hex;
  /** Whether it came with the deployment of its account (ERC-6492), as wallets send it before they deploy one. */
  readonly wasWrapped: boolean;
}

/**
 * Takes the wrapper of ERC-6492 off a signature. The deployment inside is ignored: only an account that is deployed can
 * verify a signature, and it knows the inner one.
 *
 * @param text any text.
 * @throws BridgeError SIGNATURE_INVALID when it is not hex, or its wrapper is malformed; VALIDATION_ERROR when it is
 *   longer than the 1,024 bytes that a release can carry.
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
 * Writes a compact signature of 64 bytes (EIP-2098) with its recovery byte: 65 bytes, as releases carry it. Any other
 * length is returned unchanged.
 */
export function expandSignature(signature: Hex): Hex {
  if (!/^0x[0-9a-fA-F]{128}$/.test(signature)) return signature;
  const [r, yParityAndS] = [slice(signature, 0, 32), slice(signature, 32)];
  return serializeSignature(compactSignatureToSignature({ r, yParityAndS }));
}

/**
 * Whether the key of an account signed a digest: 65 bytes in the canonical form, or their compact form, which recover
 * to its address. It never throws.
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

/** @throws BridgeError SIGNATURE_INVALID when it is not the one canonical form of 65 bytes. */
export function assertCanonical(signature: Hex): void {
  if (!/^0x[0-9a-fA-F]+$/.test(signature) || size(signature) !== 65)
    throw invalid('must be 65 bytes of hex, or 64 in the compact form of EIP-2098');
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = BigInt(`0x${signature.slice(130)}`);
  if (s === 0n || s > HALF_ORDER) throw invalid('has an s outside the lower half of the curve order');
  if (v !== 0n && v !== 1n && v !== 27n && v !== 28n) throw invalid('has a recovery byte that is not 0, 1, 27 or 28');
}

/** @throws BridgeError SIGNATURE_INVALID when it recovers to no address. */
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
    throw invalid('has the suffix of ERC-6492, but not its form', cause);
  }
}

function invalid(message: string, cause?: unknown): BridgeError {
  return new BridgeError('SIGNATURE_INVALID', `signature ${message}`, { field: 'signature', cause });
}
