import { describe, expect, it } from '@jest/globals';
import {
  deriveCsrfToken,
  hashToken,
  newToken,
  NO_SESSION_COOKIE,
  readSessionCookie,
  sessionCookie,
} from './session-cookie.js';

const token = newToken();

describe('the cookie of a session', () => {
  it('is limited to this host, and unavailable to scripts and other sites', () => {
    expect(sessionCookie(token)).toBe(`__Host-causeway-admin=${token}; Path=/; HttpOnly; Secure; SameSite=Strict`);
    expect(NO_SESSION_COOKIE).toBe('__Host-causeway-admin=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0');
  });

  it.each([
    [`__Host-causeway-admin=${token}`, token],
    [`a=b; __Host-causeway-admin=${token};c=d`, token],
    [undefined, null],
    ['', null],
    ['a=b', null],
    ['__Host-causeway-admin=', null],
    [`__Host-causeway-admin=${token}x`, null],
    [`__host-causeway-admin=${token}`, null],
    [`x__Host-causeway-admin=${token}`, null],
    // A browser sends one. Two can be an attempt to make this program choose the wrong one.
    [`__Host-causeway-admin=${token}; __Host-causeway-admin=${newToken()}`, null],
  ])('is read from %j', (header, found) => {
    expect(readSessionCookie(header)).toBe(found);
  });

  it('has 256 random bits; the database stores their hash, and the CSRF token derives from them', () => {
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(hashToken('a')).toBe('0xca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
    expect(deriveCsrfToken(token)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect([token, deriveCsrfToken(newToken())]).not.toContain(deriveCsrfToken(token));
  });
});
