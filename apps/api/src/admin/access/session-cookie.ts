import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Hex } from 'viem';

// The prefix makes browsers insist on Secure, Path=/ and no Domain (RFC 6265bis, section 4.1.3.2), so that no other
// host, also no subdomain, can set the cookie. Browsers treat http://127.0.0.1 and http://localhost as secure.
const NAME = '__Host-causeway-admin';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A new token of a session: 256 random bits as base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The header Set-Cookie that begins a session. It ends with the browser, or when the server says so. */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}`;
}

/** The header Set-Cookie that removes the cookie. */
export const NO_SESSION_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

/** The token in a header Cookie; null when there is none, more than one, or not the form of one. */
export function readSessionCookie(header: string | undefined): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  const [token] = values;
  return values.length === 1 && token !== undefined && TOKEN.test(token) ? token : null;
}

/** The hash of a token, which the database stores in its place. */
export function hashToken(token: string): Hex {
  return `0x${createHash('sha256').update(token).digest('hex')}`;
}

/** The CSRF token of a session: a page that cannot read the answers of the API cannot know it. It is not stored. */
export function deriveCsrfToken(token: string): string {
  return createHmac('sha256', token).update('X-CSRF-Token').digest('base64url');
}
