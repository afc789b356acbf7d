import type { IncomingMessage } from 'node:http';

/** First size of the buffer for a body of unknown length, bytes. */
const INITIAL_BYTES = 4_096;
/**
 * Pieces in which a body may arrive, plus one for each 128 bytes of the limit: a byte at a time costs a thousand times
 * more.
 */
const MAX_PIECES = 1_000;
const BYTES_PER_PIECE = 128;

/**
 * Reads the body of a request. It uses at most twice the memory of what has arrived, however small the pieces are.
 *
 * @param limit longest body, bytes.
 * @param done receives the body, or null as soon as the body is too long or in too many pieces; it is not called if the
 *   client goes away before.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | null) => void): void {
  const declared = Number(request.headers['content-length'] ?? INITIAL_BYTES);
  if (declared > limit) {
    done(null);
    return;
  }
  const maxPieces = MAX_PIECES + limit / BYTES_PER_PIECE;
  let body: Buffer = Buffer.alloc(0);
  let length = 0;
  let pieces = 0;
  const onData = (piece: Buffer) => {
    pieces += 1;
    const whole = length + piece.length;
    if (whole > limit || pieces > maxPieces) {
      request.off('data', onData).off('end', onEnd);
      done(null);
      return;
    }
    // Nearly every body arrives in one piece, which is used as it is.
    if (length === 0) body = piece;
    else {
      if (whole > body.length) body = enlarge(body, length, Math.min(limit, Math.max(whole, 2 * length, declared)));
      piece.copy(body, length);
    }
    length = whole;
  };
  const onEnd = () => done(body.subarray(0, length));
  request.on('data', onData).on('end', onEnd);
}

/** A copy of the first `length` bytes with room for `size`. */
function enlarge(body: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  body.copy(larger, 0, 0, length);
  return larger;
}
