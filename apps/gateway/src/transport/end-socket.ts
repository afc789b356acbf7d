import type { Duplex } from 'node:stream';

/** How long a peer may take to read the end and to end its side too. */
const PATIENCE_MS = 1_000;

/**
 * Ends a connection so that the peer can read what it was sent last. Until the peer has ended its side, for a second at most, what it goes on sending
 * is read and thrown away: where a socket is closed with bytes unread, the connection is reset, and the peer can lose the answer.
 *
 * @param last what is still to be sent.
 */
export function endSocket(socket: Duplex, last?: string): void {
  // The peer may be gone already; then there is nobody to tell.
  socket.once('error', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
