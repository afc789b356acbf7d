import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { NonceKey } from '@causeway/store';

/** How long a nonce may be used, in milliseconds. */
const LIFETIME_MS = 5 * 60_000;
const RANDOM_DIGITS = 32;
/** Milliseconds since 1970, for the next 8,000 years. */
const TIME_DIGITS = 12;
/** 128 bits of the HMAC. */
const PROOF_DIGITS = 32;
const FORM = new RegExp(`^[0-9a-f]{${RANDOM_DIGITS + TIME_DIGITS + PROOF_DIGITS}}$`);

/** A nonce, and its end by the database's clock. */
interface SignInNonce {
  readonly nonce: string;
  readonly expiresAt: Date;
}

/**
 * Makes a nonce that proves itself, so that issuing one stores nothing: random bytes, the time of issue, and an HMAC of
 * both. All of it is hex, since EIP-4361 allows letters and digits.
 */
export function createNonce({ key, now }: NonceKey): SignInNonce {
  const random = randomBytes(RANDOM_DIGITS / 2).toString('hex');
  const time = now.getTime().toString(16).padStart(TIME_DIGITS, '0');
  return { nonce: `${random}${time}${computeProof(random + time, key)}`, expiresAt: computeEnd(now.getTime()) };
}

/**
 * Reads a nonce that one of the processes made. Whether it was used before, only the database knows.
 *
 * @returns null when it was never made, or has expired.
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
