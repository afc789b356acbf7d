import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseBrokenRequest, refuseOnSocket } from '@causeway/service/http';
import { errorResponse, RpcError } from '../jsonrpc/errors.js';

const WHERE = 'calls are HTTP POST to /, or WebSocket on / or /ws';

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  404: 'this path does not exist',
  405: 'this method is not allowed here',
};

/** The body of a refused request: a JSON-RPC error, even for requests that are not calls. */
export function httpErrorBody(status: number): string {
  if (status >= 500) return errorResponse('null', new RpcError('INTERNAL_ERROR'));
  const problem = PROBLEMS[status] ?? STATUS_CODES[status] ?? 'the request is refused';
  return errorResponse('null', new RpcError('INVALID_REQUEST', `${problem}; ${WHERE}`));
}

/** Refuses an upgrade to WebSocket, and ends the connection. */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  error: RpcError,
  headers: Readonly<Record<string, string>> = {},
): void {
  refuseOnSocket(socket, status, { body: errorResponse('null', error), headers });
}

/** Answers bytes that are not HTTP with a JSON-RPC error. */
export const refuseUnreadable = refuseBrokenRequest((_status, problem) => ({
  body: errorResponse('null', new RpcError('INVALID_REQUEST', problem)),
}));
