import type { Duplex } from 'node:stream';
import { RpcError } from '../json-rpc/rpc-error.js';
import { refuseAtSocket } from './refuse-at-socket.js';

/** Status and reason by the code of Node's error. */
const KNOWN: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers are too long'],
};

/** Connections that are being ended: Node tells of every further piece that comes, as of one that it could not read. */
const ending = new WeakSet<Duplex>();

/** Answers bytes that Node's server could not read as a request of HTTP (its event `clientError`), and ends the connection. */
export function refuseBrokenRequest(error: { readonly code?: string }, socket: Duplex): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] = KNOWN[error.code ?? ''] ?? [400, 'this is no request of HTTP/1.1'];
  refuseAtSocket(socket, status, new RpcError('INVALID_REQUEST', reason));
}
