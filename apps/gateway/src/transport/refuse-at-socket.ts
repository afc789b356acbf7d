import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { answer } from '../jsonrpc/answer.js';
import type { RpcError } from '../jsonrpc/errors.js';
import { endSocket } from './end-socket.js';

/**
 * Answers what is no request that could be answered otherwise, such as one to become a WebSocket, with a plain HTTP response, and ends the connection.
 *
 * @param status of HTTP, 4xx or 5xx.
 */
export function refuseAtSocket(socket: Duplex, status: number, error: RpcError): void {
  const body = answer.error('null', error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  endSocket(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}
