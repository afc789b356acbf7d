import type { IncomingMessage } from 'node:http';

const INITIAL_BYTES = 4_096;
/** Maximum chunks of a body, plus one per 128 bytes of the limit, because single-byte chunks are expensive. */
const MAX_PIECES = 1_000;
const BYTES_PER_PIECE = 128;

/**
 * Reads a request body, using at most twice the memory of the received bytes for any chunk size.
 *
 * @param limit maximum bytes.
 * @returns null once the body is too long or has too many chunks; never resolves if the client disconnects first.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  const declared = Number(request.headers['content-length'] ?? INITIAL_BYTES);
  if (declared > limit) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const maxPieces = MAX_PIECES + limit / BYTES_PER_PIECE;
  let body: Buffer = Buffer.alloc(0);
  let length = 0;
  let pieces = 0;
  const onData = (piece: Buffer) => {
    pieces += 1;
    const whole = length + piece.length;
    if (whole > limit || pieces > maxPieces) {
      request.off('data', onData);
      resolve(null);
      return;
    }
    // Nearly every body arrives in one chunk, which needs no copy.
    if (length === 0) body = piece;
    else {
      if (whole > body.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(whole, 2 * length, declared)));
        body.copy(larger, 0, 0, length);
        body = larger;
      }
      piece.copy(body, length);
    }
    length = whole;
  };
  request.on('data', onData).on('end', () => resolve(body.subarray(0, length)));
  return promise;
}
