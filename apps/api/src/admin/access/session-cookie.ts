import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Hex } from 'viem';

// The prefix makes browsers insist on Secure, Path=/ and no Domain (RFC 6265bis, section 4.1.3.2), so that no other
// host, not even a subdomain, can set the cookie. Browsers treat http://127.0.0.1 and http://localhost as secure.
const NAME = '__Host-causeway-admin';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Creates a session token: 256 random bits as base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The Set-Cookie header that begins a session. The cookie lasts until the browser closes or the server removes it. */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}`;
}

/** The Set-Cookie header that removes the cookie. */
export const NO_SESSION_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

/** Reads the token from a Cookie header; null when it is missing, repeated or malformed. */
export function readSessionCookie(header: string | undefined): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  const [token] = values;
  return values.length === 1 && token !== undefined && TOKEN.test(token) ? token : null;
}

/** The hash that the database stores instead of the token. */
export function hashToken(token: string): Hex {
  return `0x${createHash('sha256').update(token).digest('hex')}`;
}

/** Derives the CSRF token, which is not stored. Only a page that can read the API's responses knows it. */
export function deriveCsrfToken(token: string): string {
  return createHmac('sha256', token).update('X-CSRF-Token').digest('base64url');
}
