import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface HttpSocket extends Duplex {
  /** The response in progress. Node's own handler of broken requests uses this name; there is no public one. */
  readonly _httpMessage?: ServerResponse | null;
}

/** A refusal on a socket without a response object. */
export interface SocketRefusal {
  /** JSON. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A listener for the event `clientError` of Node's HTTP server. */
export type BrokenRequestHandler = (error: { readonly code?: string }, socket: HttpSocket) => void;

/** How long a peer may take to read the end of a response and to end its side too. */
const END_TIMEOUT_MS = 1_000;

/** The statuses of requests that Node's server cannot read. */
type BrokenStatus = 400 | 408 | 431;

const PARSER_ERRORS: Readonly<Record<string, readonly [status: BrokenStatus, problem: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers are too long'],
};

/** Refuses on a socket without a response object, such as an upgrade to WebSocket, and ends the connection. */
export function refuseOnSocket(socket: Duplex, status: number, { body, headers = {} }: SocketRefusal): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  endSocket(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Connections that are ending: Node reports every further piece of an unreadable request as a new error. */
const ending = new WeakSet<Duplex>();

/**
 * Answers bytes that Node's server cannot parse as HTTP (its event `clientError`), and ends the connection. Complete
 * requests before them are answered first, and then without a refusal: a client would read it as the response to one of
 * those.
 *
 * @param makeRefusal makes the refusal of a status from a phrase that names the problem.
 */
export function refuseBrokenRequest(
  makeRefusal: (status: BrokenStatus, problem: string) => SocketRefusal,
): BrokenRequestHandler {
  return ({ code = '' }, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    if (code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const response = pendingResponse(socket);
    if (response === null) {
      const [status, problem] = PARSER_ERRORS[code] ?? ([400, 'the request is not HTTP/1.1'] as const);
      refuseOnSocket(socket, status, makeRefusal(status, problem));
      return;
    }
    // Reading on would keep the connection of a client from being idle that does not read its responses.
    socket.pause();
    endAfter(response, socket);
  };
}

/** The response that is still to be sent; null if there is none, or only one to an incomplete request. */
function pendingResponse({ _httpMessage: response }: HttpSocket): ServerResponse | null {
  return response && (response.req.complete || response.headersSent) ? response : null;
}

/** Ends the connection after this response and those to the requests behind it. */
function endAfter(response: ServerResponse, socket: HttpSocket): void {
  response.once('finish', () => {
    const next = pendingResponse(socket);
    if (next === null) endSocket(socket);
    else endAfter(next, socket);
  });
}

/**
 * Ends a connection so that the peer can read the last bytes. For up to a second the server reads and drops what the
 * peer still sends: closing a socket with unread bytes resets the connection, and the peer may lose the response.
 */
function endSocket(socket: Duplex, last?: string): void {
  socket.once('error', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), END_TIMEOUT_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
