import { concatHex, recoverAddress, size, slice, type Address, type Hex } from 'viem';

/** Half the order of secp256k1. A greater s belongs to the mirror image of another signature (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** The bit of a compact signature that holds the parity of y (ERC-2098). */
const PARITY_BIT = 1n << 255n;

/**
 * Recovers the account whose key signed a digest. Accepts 65 bytes in canonical form, or 64 bytes of ERC-2098.
 *
 * @returns null for any other signature.
 */
export async function recoverSigner(digest: Hex, signature: Hex): Promise<Address | null> {
  const canonical = toCanonical(signature);
  if (canonical === null) return null;
  try {
    return (await recoverAddress({ hash: digest, signature: canonical })).toLowerCase() as Address;
  } catch {
    // No point of the curve has this r.
    return null;
  }
}

function toCanonical(signature: Hex): Hex | null {
  const length = size(signature);
  if (length !== 64 && length !== 65) return null;
  const r = slice(signature, 0, 32);
  const word = BigInt(slice(signature, 32, 64));
  const s = length === 64 ? word & (PARITY_BIT - 1n) : word;
  if (s === 0n || s > HALF_ORDER) return null;
  const v = length === 64 ? 27n + (word >> 255n) : BigInt(slice(signature, 64));
  const parity = v >= 27n ? v - 27n : v;
  if (parity !== 0n && parity !== 1n) return null;
  return concatHex([r, `0x${s.toString(16).padStart(64, '0')}`, parity === 0n ? '0x1b' : '0x1c']);
}
