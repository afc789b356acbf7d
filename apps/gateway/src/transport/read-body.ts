import type { IncomingMessage } from 'node:http';

/** What a body is read into at first where its length was not told, bytes. */
const FIRST_ROOM = 4_096;
/** A body may come in so many pieces, and one more for so many bytes of the limit: a byte at a time costs a thousand times its length. */
const PIECES = 1_000;
const BYTES_OF_PIECE = 128;

/**
 * Reads the body of a request. It takes no more memory than twice what has arrived, in however small pieces that was.
 *
 * @param limit longest body, bytes.
 * @param done is told the body, or null as soon as it is known to be too long or in too small pieces; nothing if the client goes away before.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | null) => void): void {
  const declared = Number(request.headers['content-length'] ?? FIRST_ROOM);
  if (declared > limit) {
    done(null);
    return;
  }
  const mostPieces = PIECES + limit / BYTES_OF_PIECE;
  let body: Buffer = Buffer.alloc(0);
  let length = 0;
  let pieces = 0;
  const onData = (piece: Buffer) => {
    pieces += 1;
    const whole = length + piece.length;
    if (whole > limit || pieces > mostPieces) {
      request.off('data', onData).off('end', onEnd);
      done(null);
      return;
    }
    // Nearly every body comes in one piece, which is kept as it is.
    if (length === 0) body = piece;
    else {
      if (whole > body.length) body = enlarged(body, length, Math.min(limit, Math.max(whole, 2 * length, declared)));
      piece.copy(body, length);
    }
    length = whole;
  };
  const onEnd = () => done(body.subarray(0, length));
  request.on('data', onData).on('end', onEnd);
}

/** A copy of the first `length` bytes with room for `size`. */
function enlarged(body: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  body.copy(larger, 0, 0, length);
  return larger;
}
