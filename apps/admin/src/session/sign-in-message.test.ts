import { describe, expect, it } from '@jest/globals';
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { safeNext, signInMessage } from './sign-in-message.js';

describe('the message of sign-in', () => {
  const nowMs = Date.UTC(2026, 10, 23, 12, 0, 0);
  const message = signInMessage({
    origin: 'https://console.example:8443',
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    chainId: 8_901,
    nonce: 'abcdef0123456789',
    nowMs,
  });

  it('follows EIP-4361', () => {
    const parsed = parseSiweMessage(message);
    expect(parsed).toMatchObject({
      domain: 'console.example:8443',
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      uri: 'https://console.example:8443',
      version: '1',
      chainId: 8_901,
      nonce: 'abcdef0123456789',
    });
    expect(validateSiweMessage({ message: parsed, domain: 'console.example:8443', time: new Date(nowMs) })).toBe(true);
  });

  it('expires after five minutes', () => {
    const parsed = parseSiweMessage(message);
    const isValidAfter = (milliseconds: number) =>
      validateSiweMessage({ message: parsed, time: new Date(nowMs + milliseconds) });
    expect([isValidAfter(299_000), isValidAfter(301_000)]).toEqual([true, false]);
  });
});

describe('the page after sign-in', () => {
  it.each([
    [undefined, '/'],
    ['/operations?status=DELAYED#top', '/operations?status=DELAYED#top'],
    ['//evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ])('for %s is %s', (next, page) => {
    expect(safeNext(next)).toBe(page);
  });
});
