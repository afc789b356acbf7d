import { isHex, type Hex } from 'viem';
import { RpcError, type RpcErrorName } from '../../jsonrpc/errors.js';

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

/** A node gave no usable answer. The message is for logs and contains no address. */
export class NodeFailure extends Error {
  constructor(
    readonly kind: NodeFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'NodeFailure';
  }

  /** Whether the node may have executed the request. */
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

/** Converts an error of the HTTP client. The message contains only its code, because the rest can contain addresses. */
export function toNodeFailure(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const code = getErrorCode(error);
  const cause = { cause: error };
  if (NEVER_SENT.test(code)) return new NodeFailure('unreachable', `cannot be reached (${code})`, cause);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new NodeFailure('oversized', 'sent too long a response', cause);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new NodeFailure('timeout', 'did not answer in time', cause);
  }
  return new NodeFailure('broken', `connection broke (${code})`, cause);
}

function getErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  // Node tries every address of a name and reports the failures together.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return getErrorCode(error.errors[0]);
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** The meaning of a node's error for a call. */
interface NodeErrorClass {
  /**
   * True: the node judged the call, and every node would answer the same. False: another node may give a better answer.
   */
  readonly final: boolean;
  readonly error: RpcError;
}

// Matches the messages of anvil, geth, reth, erigon, nethermind, besu and providers. Codes are not enough: geth uses
// -32000 for almost everything.
const METHOD =
  /(method|function)\b.*\b(not found|not (supported|available|allowed|whitelisted|enabled)|does not exist|disabled)|unsupported method|unknown method/i;
const REVERT = /revert/i;
const EXECUTION =
  /out of gas|outofgas|gas required exceeds|invalid (opcode|jump)|stack (over|under)flow|bad jump|write protection|(max|init) ?code size|evm error|vm execution|opcode .* not defined/i;
const TRANSACTION =
  /nonce|insufficient ?(funds|balance)|underpriced|intrinsic gas|gas ?limit|gas price|fee ?cap|base ?fee|priority fee|max ?fee|(fee|gas) too low|already (known|imported|exists|in mempool)|known transaction|invalid (sender|signature|chain)|chain ?id|signer|transaction type|rlp|oversized|pool is full|replacement|upfront cost|blob/i;
const STATE =
  /header not found|unknown block|block\b.*\b(not found|does not exist|not available|out of range|pruned)|blockoutofrange|missing trie node|state\b.*\b(not available|unavailable|not found|pruned|missing)|historical (state|data)|pruned|could not find block/i;
const LIMITED = /rate.?limit|too many requests|request limit|quota|throttl/i;
/** A log range that ends after this node's head, or whose start is after its end. */
const NO_RANGE = /beyond current head|invalid block range/i;
const TOO_MANY_LOGS =
  /more than .* (results|logs)|too many (results|logs)|block ?range|range .*(large|wide|limit)|response size|exceed.*(range|results|logs)|limited to|narrow/i;

/** Maps a node's JSON-RPC error to the gateway's error table (spec "Errors"). */
export function classifyNodeError(method: string, nodeError: NodeRpcError): NodeErrorClass {
  const { code, message } = nodeError;
  const classAs = (final: boolean, kind: RpcErrorName, detail?: string): NodeErrorClass => ({
    final,
    error: new RpcError(kind, detail, { cause: nodeError }),
  });
  if (method === 'eth_sendRawTransaction') return classifySubmission(nodeError);
  if (code === 3 || (REVERT.test(message) && code !== -32602)) {
    const options = { data: revertData(nodeError.data), cause: nodeError };
    return { final: true, error: new RpcError('EXECUTION_REVERTED', revertReason(message), options) };
  }
  if (code === -32601 || code === -32004 || METHOD.test(message)) {
    return classAs(false, 'METHOD_NOT_SUPPORTED', 'no node behind this gateway supports it');
  }
  // Another node may have the blocks.
  if (method === 'eth_getLogs' && NO_RANGE.test(message))
    return classAs(false, 'INVALID_PARAMS', cleanMessage(message));
  if (method === 'eth_getLogs' && TOO_MANY_LOGS.test(message)) {
    return classAs(true, 'RATE_LIMIT_EXCEEDED', cleanMessage(message));
  }
  if (LIMITED.test(message) || code === -32005 || code === -32002)
    return classAs(false, 'RESOURCE_UNAVAILABLE', 'try again later');
  if (code === -32001 || STATE.test(message)) return classAs(false, 'RESOURCE_NOT_FOUND', cleanMessage(message));
  if (EXECUTION.test(message)) return classAs(true, 'EXECUTION_REVERTED', cleanMessage(message));
  if (code === -32003 || TRANSACTION.test(message)) return classAs(true, 'TRANSACTION_REJECTED', cleanMessage(message));
  if (code === -32602) return classAs(true, 'INVALID_PARAMS', cleanMessage(message));
  return classAs(false, 'INTERNAL_ERROR', 'the node could not answer');
}

/**
 * Like `classifyNodeError`, for eth_sendRawTransaction, where only a message about the transaction counts as an answer.
 */
function classifySubmission(nodeError: NodeRpcError): NodeErrorClass {
  const { code, message } = nodeError;
  // -32602: the gateway has checked the hex, so the bytes are not a valid transaction.
  const aboutTransaction = [3, -32000, -32003, -32602].includes(code);
  const judged = aboutTransaction || [TRANSACTION, REVERT, EXECUTION].some((words) => words.test(message));
  if (judged && code !== -32002 && !LIMITED.test(message)) {
    return { final: true, error: new RpcError('TRANSACTION_REJECTED', cleanMessage(message), { cause: nodeError }) };
  }
  const detail = 'no node accepted the transaction, try again later';
  return { final: false, error: new RpcError('RESOURCE_UNAVAILABLE', detail, { cause: nodeError }) };
}

function revertReason(message: string): string | undefined {
  const reason = cleanMessage(message.replace(/^.*?(execution )?revert(ed)?[:\s]*/i, ''));
  return reason === '' ? undefined : reason;
}

/** Extracts revert bytes: from `data` (geth, anvil, reth), from an object (hardhat), or after a word (parity). */
function revertData(data: unknown): Hex | undefined {
  if (typeof data === 'string') {
    const hex = data.startsWith('Reverted ') ? data.slice('Reverted '.length) : data;
    return isHex(hex) && hex.length % 2 === 0 ? hex : undefined;
  }
  return typeof data === 'object' && data !== null && 'data' in data && typeof data.data === 'string'
    ? revertData(data.data)
    : undefined;
}

const MAX_MESSAGE_LENGTH = 200;

/** Cleans a node's message for clients: one line without addresses, paths or hosts of the operator's network. */
export function cleanMessage(message: string): string {
  return message
    .slice(0, 2 * MAX_MESSAGE_LENGTH)
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"']*/gi, '…')
    .replaceAll(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '…')
    .replaceAll(/\[[0-9a-f:]*:[0-9a-f:.]*\](:\d+)?/gi, '…')
    .replaceAll(/\b[a-z0-9-]+(\.[a-z0-9-]+)*:\d{2,5}\b/gi, '…')
    .replaceAll(/(^|[\s"'(])\/[^\s"')]+/g, '$1…')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH);
}
