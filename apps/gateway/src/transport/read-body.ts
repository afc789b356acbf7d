import type { IncomingMessage } from 'node:http';

/**
 * Reads the body of a request.
 *
 * @param limit longest body, bytes.
 * @param done is told the body, or null as soon as it is known to be longer than the limit; nothing if the client goes away before.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | null) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    done(null);
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= limit) return;
    request.off('data', onData).off('end', onEnd);
    done(null);
  };
  const onEnd = () => {
    const [only] = chunks;
    done(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, length));
  };
  request.on('data', onData).on('end', onEnd);
}
