/** How a node failed to answer. */
type NodeFailureKind =
  /** There was no connection: the node has not seen the request. */
  | 'unreachable'
  /** The connection broke, or the HTTP status was not 200. The node may have executed the request. */
  | 'broken'
  /** No answer in time. The node may have executed the request. */
  | 'timeout'
  /** The response is not a JSON-RPC answer to the request. */
  | 'malformed'
  /** The answer, or the answers of a batch together, exceeded the maximum length. */
  | 'oversized'
  /** Too many calls wait for the node: the request was not sent. */
  | 'overloaded';

/** A node gave no usable answer. The message is for logs and holds no address. */
export class NodeFailure extends Error {
  constructor(
    readonly kind: NodeFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'NodeFailure';
  }

  /** Whether the node may have executed the request in spite of the failure. */
  get mayHaveHappened(): boolean {
    return this.kind !== 'unreachable' && this.kind !== 'overloaded';
  }
}

/** A node answered a call with a JSON-RPC error. Code, message and data are the node's. */
export class NodeRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(message);
    this.name = 'NodeRpcError';
  }
}

/** Whether an error comes from a node. Anything else is a bug of the gateway. */
export function isNodeError(error: unknown): error is NodeFailure | NodeRpcError {
  return error instanceof NodeFailure || error instanceof NodeRpcError;
}

/** Error codes from before the first byte of the request was sent (Node's net and dns, undici, TLS). */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*)$/;

/**
 * Converts an error of the HTTP client. Only its code goes into the message: the client's messages can hold addresses.
 */
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
