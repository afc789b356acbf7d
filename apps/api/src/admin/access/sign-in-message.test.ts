import { describe, expect, it } from '@jest/globals';
import { createSiweMessage } from 'viem/siwe';
import { checkSignInMessage, parseSignInMessage, type SignInMessage } from './sign-in-message.js';

const NOW = Date.UTC(2026, 0, 31, 12);
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const fields = {
  address: ADDRESS,
  domain: 'console.example',
  uri: 'https://console.example',
  chainId: 1,
  nonce: 'abcdefgh12345678',
  version: '1',
  issuedAt: new Date(NOW),
  expirationTime: new Date(NOW + 300_000),
} as const;
const text = createSiweMessage(fields);

describe('parseSignInMessage', () => {
  it('reads the fields of a message that has exactly the form of EIP-4361', () => {
    const { version: _version, ...rest } = fields;
    expect(parseSignInMessage(text)).toEqual({
      ...rest,
      address: ADDRESS.toLowerCase(),
      scheme: undefined,
      notBefore: undefined,
    });
    const long = createSiweMessage({
      ...fields,
      statement: 'Sign in to the console.',
      notBefore: new Date(NOW),
      requestId: '7',
      resources: ['https://console.example/terms'],
    });
    expect(parseSignInMessage(long)).toMatchObject({ nonce: fields.nonce, notBefore: new Date(NOW) });
  });

  it.each([
    ['no message', ''],
    ['other text', 'hello'],
    ['no expiration time', createSiweMessage({ ...fields, expirationTime: undefined })],
    ['text before it', `\n${text}`],
    ['text after it', `${text}\nNot Before: tomorrow`],
    ['a line between its lines', text.replace('\nNonce', '\n\nNonce')],
    ['a second URI', text.replace('\nURI', '\nURI: https://evil.example\nURI')],
    ['other line ends', text.replaceAll('\n', '\r\n')],
    ['another version', text.replace('Version: 1', 'Version: 2')],
    ['an address without its checksum', text.replace(ADDRESS, ADDRESS.toLowerCase())],
    ['a chain id with zeros', text.replace('Chain ID: 1', 'Chain ID: 01')],
    ['a chain id beyond the safe integers', text.replace('Chain ID: 1', `Chain ID: ${'9'.repeat(30)}`)],
    ['a day that does not exist', text.replace('2026-01-31', '2026-02-31')],
    ['a time in another format', text.replace('2026-01-31T12:00:00.000Z', 'Sat Jan 31 2026')],
    ['a nonce that is too short', text.replace(fields.nonce, 'abc')],
  ])('refuses %s', (_, message) => {
    expect(() => parseSignInMessage(message)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'message' }),
    );
  });
});

describe('checkSignInMessage', () => {
  const terms = { origin: 'https://console.example', chainIds: [1, 295], nowMs: NOW };
  const message = parseSignInMessage(text);
  const at = (ms: number) => new Date(NOW + ms);

  it.each<[string, Partial<SignInMessage>]>([
    ['now', {}],
    ['on the other chain', { chainId: 295 }],
    ['that names the scheme', { scheme: 'https' }],
    ['from a clock that is 30 seconds ahead', { issuedAt: at(30_000), expirationTime: at(630_000) }],
    ['from almost 10 minutes ago', { issuedAt: at(-599_999), expirationTime: at(1) }],
    ['from its not-before time on', { notBefore: at(0) }],
  ])('accepts one %s', (_, over) => {
    expect(() => checkSignInMessage({ ...message, ...over }, terms)).not.toThrow();
  });

  it.each<[string, Partial<SignInMessage>, RegExp]>([
    ['another domain', { domain: 'evil.example' }, /domain must be console.example/],
    ['the domain with a port', { domain: 'console.example:8443' }, /domain/],
    ['another scheme', { scheme: 'http' }, /scheme must be https/],
    ['another URI', { uri: 'https://console.example.evil.example' }, /URI/],
    ['a path', { uri: 'https://console.example/login' }, /URI/],
    ['another chain', { chainId: 2 }, /chain ID must be 1 or 295/],
    ['the future', { issuedAt: at(30_001) }, /future: check the clock/],
    ['long ago', { issuedAt: at(-600_001), expirationTime: at(1) }, /10 minutes ago: check the clock/],
    ['a time that has passed', { expirationTime: at(0) }, /has passed: check the clock/],
    ['a lifetime that is too long', { expirationTime: at(600_001) }, /at most 10 minutes/],
    ['a later not-before time', { notBefore: at(30_001) }, /not-before/],
  ])('refuses one for %s, naming the field', (_, over, problem) => {
    const refusal = expect.objectContaining({ code: 'SIGN_IN_REFUSED', message: expect.stringMatching(problem) });
    expect(() => checkSignInMessage({ ...message, ...over }, terms)).toThrow(refusal);
  });
});
