import { isUtf8 } from 'node:buffer';
import { BridgeError } from '@causeway/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Matches a JSON string with the colon that makes it a key, or the beginning or end of an object. */
const KEY_OR_BRACE = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g;

/**
 * Finds the first key that an object of a JSON text repeats. Parsers differ in which value they keep, so a user may
 * have signed a different value than this API reads.
 *
 * @param text well-formed JSON, for which the pattern is exact.
 */
export function findRepeatedKey(text: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (const [token, string = '', colon] of text.matchAll(KEY_OR_BRACE)) {
    if (token === '{') open.push(null);
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const keys = open.pop() ?? new Set();
      // "\u0061" is the same key as "a".
      const key = JSON.parse(string) as string;
      if (keys.has(key)) return key;
      open.push(keys.add(key));
    }
  }
  return null;
}

function checkCoding({ headers }: FastifyRequest, body: Buffer): void {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new BridgeError(
      'UNSUPPORTED_MEDIA_TYPE',
      'content-encoding must be identity; compressed bodies are not accepted',
      {
        field: 'content-encoding',
      },
    );
  // Invalid bytes would all decode to U+FFFD, so two idempotency keys could become equal.
  if (!isUtf8(body)) throw new BridgeError('VALIDATION_ERROR', 'The body must be UTF-8');
}

/** Parses bodies as JSON with Fastify's parser. Refuses every other content type with 415. */
export function installJsonBody(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const body = bytes.toString();
    try {
      checkCoding(request, bytes);
    } catch (error) {
      done(error as BridgeError);
      return;
    }
    void parse(request, body, (error, value: unknown) => {
      const key = error === null ? findRepeatedKey(body) : null;
      if (key === null) done(error, value);
      else done(new BridgeError('VALIDATION_ERROR', `${key} is in the body more than once`, { field: key }));
    });
  });
}
