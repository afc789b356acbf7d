import { describe, expect, it } from '@jest/globals';
import { parseEndpoint } from './endpoint.js';
import { isUrl } from './values.js';

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('parseEndpoint', () => {
  it.each([
    ['https://host.example/v2/path?x=1', 'https://host.example/v2/path?x=1', {}],
    ['http://relayer:a-Key_1@127.0.0.1:8545', 'http://127.0.0.1:8545/', basic('relayer:a-Key_1')],
    ['wss://relayer:key@host.example/ws', 'wss://host.example/ws', basic('relayer:key')],
    ['https://a%40b:%3A%2Fé@host.example', 'https://host.example/', basic('a@b::/é')],
    ['https://:key@host.example', 'https://host.example/', basic(':key')],
    ['https://name@host.example', 'https://host.example/', basic('name:')],
  ])('separates %s from its credentials', (address, url, headers) => {
    expect(parseEndpoint(address)).toEqual({ host: new URL(url).host, url, headers });
  });

  it.each(['https://name:100%@host.example', 'https://name:%ff@host.example'])('cannot read %s', (address) => {
    expect(() => parseEndpoint(address)).toThrow(URIError);
    expect(isUrl(address, ['https:'])).toBe(false);
  });
});
