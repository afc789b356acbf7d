import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { RpcError } from '../jsonrpc/errors.js';
import { endSocket } from './end-socket.js';
import { refuseAtSocket } from './refuse-at-socket.js';

/** A connection of Node's server. */
interface HttpSocket extends Duplex {
  /** The answer whose turn it is, until all of it is sent. Node's own handler of broken requests asks for it by this name; there is no public one. */
  readonly _httpMessage?: ServerResponse | null;
}

/** Status and reason by the code of Node's error. */
const KNOWN: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers are too long'],
};

/** Connections that are being ended: Node tells of every further piece that comes, as of one that it could not read. */
const ending = new WeakSet<Duplex>();

/**
 * Answers bytes that Node's server could not read as a request of HTTP (its event `clientError`), and ends the connection. Requests that came whole
 * before them are answered first, and then there is no refusal: a client would take it for the answer to one of those.
 */
export function refuseBrokenRequest(error: { readonly code?: string }, socket: HttpSocket): void {
  if (ending.has(socket)) return;
  ending.add(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = answerUnderWay(socket);
  if (answer === null) {
    const [status, reason] = KNOWN[error.code ?? ''] ?? [400, 'this is no request of HTTP/1.1'];
    refuseAtSocket(socket, status, new RpcError('INVALID_REQUEST', reason));
    return;
  }
  // Nothing is read any more that would keep a connection from being idle whose client does not read the answers.
  socket.pause();
  endAfter(answer, socket);
}

/** The answer that is still to be sent whole; null where there is none, or only one to a request that never came to its end. */
function answerUnderWay({ _httpMessage: answer }: HttpSocket): ServerResponse | null {
  return answer && (answer.req.complete || answer.headersSent) ? answer : null;
}

/** Ends the connection when this answer is sent and those to the requests behind it are. */
function endAfter(answer: ServerResponse, socket: HttpSocket): void {
  answer.once('finish', () => {
    const next = answerUnderWay(socket);
    if (next === null) endSocket(socket);
    else endAfter(next, socket);
  });
}
