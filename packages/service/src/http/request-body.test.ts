import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readBody } from './request-body.js';

const LIMIT = 128_000;

/** Reads a body that comes in these pieces. */
async function read(pieces: readonly string[], declared?: number): Promise<string | null | undefined> {
  const headers = declared === undefined ? {} : { 'content-length': String(declared) };
  const request = Object.assign(Readable.from(pieces.map((piece) => Buffer.from(piece))), { headers });
  let told: string | null | undefined;
  void readBody(request as unknown as IncomingMessage, LIMIT).then((body) => {
    told = body === null ? null : body.toString();
    request.destroy();
  });
  await Promise.race([once(request, 'close'), once(request, 'end')]);
  return told;
}

describe('readBody', () => {
  it.each([
    [[]],
    [['{}']],
    [['{"a":', '1', '}']],
    [[' '.repeat(5_000), '[', ' '.repeat(20_000), ']']],
    [Array.from({ length: 2_000 }, (_, index) => String(index % 10))],
  ])('puts %# together', async (pieces) => {
    const whole = pieces.join('');
    expect(await read(pieces)).toBe(whole);
    expect(await read(pieces, whole.length)).toBe(whole);
  });

  it('accepts a body as long as the limit, and nothing longer', async () => {
    expect(await read(['x'.repeat(LIMIT - 1), 'y'])).toHaveLength(LIMIT);
    expect(await read(['x'.repeat(LIMIT), 'y'])).toBeNull();
    expect(await read([], LIMIT + 1)).toBeNull();
  });

  it('does not put up with a body a byte at a time', async () => {
    expect(await read(Array.from({ length: 2_001 }, () => 'x'))).toBeNull();
  });
});
