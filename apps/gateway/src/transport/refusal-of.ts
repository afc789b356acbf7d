import { STATUS_CODES } from 'node:http';
import { answer } from '../jsonrpc/answer.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { MirrorErrorBody } from '../mirror/mirror-error.js';
import { isMirrorPath } from './is-mirror-path.js';

/** How a request is refused. */
export interface HttpRefusal {
  /** Of HTTP. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = 'application/json';
const ALLOWED = 'POST, OPTIONS';
const WHERE = 'calls are HTTP POST to /, or WebSocket on / or /ws';

/** What is wrong, by the status of HTTP. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  404: 'there is nothing at this address',
  405: 'this method is not taken here',
  414: 'the address is too long',
};

/**
 * How a request that is no call is refused: as an error of JSON-RPC, or below /api/v1 as a mirror node does. The path of the calls takes no other method.
 *
 * @param url as the request has it, which may be malformed.
 */
export function refusalOf(status: number, url: string): HttpRefusal {
  if (isMirrorPath(url)) {
    const message = status === 404 ? 'Not found' : (STATUS_CODES[status] ?? 'Error');
    const body = { _status: { messages: [{ message }] } } satisfies MirrorErrorBody;
    return { status, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(body) };
  }
  if (status === 404 && URL.parse(url, 'http://gateway')?.pathname === '/') return refusal(405, { allow: ALLOWED });
  return refusal(status, {});
}

function refusal(status: number, headers: Readonly<Record<string, string>>): HttpRefusal {
  const error =
    status >= 500
      ? new RpcError('INTERNAL_ERROR')
      : new RpcError('INVALID_REQUEST', `${REASONS[status] ?? STATUS_CODES[status] ?? 'it is refused'}; ${WHERE}`);
  return { status, headers: { ...headers, 'content-type': JSON_TYPE }, body: answer.error('null', error) };
}
