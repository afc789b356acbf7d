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

/** Time for a peer to read the end of a response and to close its side. */
const END_TIMEOUT_MS = 1_000;

/** Statuses for requests that Node's server cannot parse. */
type BrokenStatus = 400 | 408 | 431;

const PARSER_ERRORS: Readonly<Record<string, readonly [status: BrokenStatus, problem: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers are too long'],
};

/** Refuses a request on a socket without a response object, such as an upgrade to WebSocket, and closes it. */
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

/** Closing connections: Node reports each further piece of an unparsable request as a new error. */
const ending = new WeakSet<Duplex>();

/**
 * Answers bytes that Node's server cannot parse as HTTP (event `clientError`) and closes the connection. If complete
 * requests precede them, only those are answered: a client would read the refusal as the response to one of them.
 *
 * @param makeRefusal creates the refusal for a status and a phrase that names the problem.
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
    // Further reads would keep the connection of a client that does not read its responses from becoming idle.
    socket.pause();
    endAfter(response, socket);
  };
}

/** Returns the unsent response; null if there is none or only one to an incomplete request. */
function pendingResponse({ _httpMessage: response }: HttpSocket): ServerResponse | null {
  return response && (response.req.complete || response.headersSent) ? response : null;
}

/** Closes the connection after this response and those to the pipelined requests after it. */
function endAfter(response: ServerResponse, socket: HttpSocket): void {
  response.once('finish', () => {
    const next = pendingResponse(socket);
    if (next === null) endSocket(socket);
    else endAfter(next, socket);
  });
}

/**
 * Closes a connection so that the peer can read the last bytes. For up to a second the server reads and discards what
 * the peer sends: closing a socket with unread bytes resets the connection, and the peer may lose the response.
 */
function endSocket(socket: Duplex, last?: string): void {
  socket.once('error', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), END_TIMEOUT_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
