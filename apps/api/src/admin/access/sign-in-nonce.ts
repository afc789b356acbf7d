import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { NonceKey } from '@causeway/store';

/** Lifetime of a nonce, in milliseconds. */
const LIFETIME_MS = 5 * 60_000;
const RANDOM_DIGITS = 32;
/** Hex digits of a time in milliseconds since 1970: enough for 8,000 years. */
const TIME_DIGITS = 12;
/** Hex digits of the HMAC that are kept: 128 bits. */
const PROOF_DIGITS = 32;
const FORM = new RegExp(`^[0-9a-f]{${RANDOM_DIGITS + TIME_DIGITS + PROOF_DIGITS}}$`);

/** A nonce and its expiry by the database's clock. */
interface SignInNonce {
  readonly nonce: string;
  readonly expiresAt: Date;
}

/**
 * Makes a self-authenticating nonce, so that issuing one stores nothing: random bytes, the time of issue, and an HMAC
 * of both. It is hex because EIP-4361 allows only letters and digits.
 */
export function createNonce({ key, now }: NonceKey): SignInNonce {
  const random = randomBytes(RANDOM_DIGITS / 2).toString('hex');
  const time = now.getTime().toString(16).padStart(TIME_DIGITS, '0');
  return { nonce: `${random}${time}${computeProof(random + time, key)}`, expiresAt: computeEnd(now.getTime()) };
}

/**
 * Verifies a nonce made by any API process. Only the database knows whether it was used before.
 *
 * @returns null when it was not issued or has expired.
 */
export function readNonce(nonce: string, { key, now }: NonceKey): SignInNonce | null {
  if (!FORM.test(nonce)) return null;
  const content = nonce.slice(0, RANDOM_DIGITS + TIME_DIGITS);
  const proof = Buffer.from(nonce.slice(content.length));
  if (!timingSafeEqual(proof, Buffer.from(computeProof(content, key)))) return null;
  const expiresAt = computeEnd(parseInt(content.slice(RANDOM_DIGITS), 16));
  return expiresAt <= now ? null : { nonce, expiresAt };
}

function computeEnd(issuedMs: number): Date {
  return new Date(issuedMs + LIFETIME_MS);
}

function computeProof(content: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(content).digest('hex').slice(0, PROOF_DIGITS);
}
