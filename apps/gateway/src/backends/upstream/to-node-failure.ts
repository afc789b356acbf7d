import { NodeFailure } from './node-failure.js';

/** Codes of failures before a byte of the request was sent (Node's net and dns, undici, TLS). */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*)$/;

/** Says what became of a request from what the HTTP client threw. Only the error's code is kept: messages can hold addresses. */
export function toNodeFailure(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const code = codeOf(error);
  const cause = { cause: error };
  if (NEVER_SENT.test(code)) return new NodeFailure('unreachable', `cannot be reached (${code})`, cause);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new NodeFailure('oversized', 'answered too much', cause);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new NodeFailure('timeout', 'did not answer in time', cause);
  }
  return new NodeFailure('broken', `connection broke (${code})`, cause);
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  // Node tries every address of a name and reports the failures together.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
