import { EX_CONFIG } from '@causeway/service/configuration';
import { BaseError, HttpRequestError, ResponseBodyTooLargeError, RpcRequestError } from 'viem';
import { THROTTLES } from './throttling.js';

/** The cause of a chain failure, for metrics and operators. */
type ChainErrorCode =
  | 'WRONG_CHAIN'
  | 'INCONSISTENT_BLOCK'
  | 'REORG_TOO_DEEP'
  | 'UNSUPPORTED_TRANSACTION'
  | 'INCOMPLETE_RANGE'
  | 'ANSWER_TOO_LARGE'
  | 'NODE_UNAVAILABLE'
  | 'NODE_REFUSED'
  | 'NO_QUORUM';

/** A failure while using a chain. `retryable`: the same request may succeed shortly. */
export abstract class ChainError extends Error {
  abstract readonly retryable: boolean;
  abstract readonly code: ChainErrorCode;
}

/** The node serves a different chain than configured. */
export class WrongChainError extends ChainError {
  override readonly name = 'WrongChainError';
  readonly retryable = false;
  readonly code = 'WRONG_CHAIN';
  readonly exitCode = EX_CONFIG;
  /** @param node host of the node. */
  constructor(
    readonly node: string,
    readonly expected: number,
    readonly found: number,
  ) {
    super(`${node} is a node of chain ${found}, but chain ${expected} was expected: check the RPC addresses`);
  }
}

/** The node's answers contradict each other: it is faulty, or a reorg happened between two requests. */
export class InconsistentBlockError extends ChainError {
  override readonly name = 'InconsistentBlockError';
  readonly retryable = true;
  readonly code = 'INCONSISTENT_BLOCK';
  constructor(
    readonly blockNumber: bigint,
    readonly contradiction: string,
  ) {
    super(`Block ${blockNumber} contradicts itself: ${contradiction}`);
  }
}

/** No common ancestor within the searched depth. `depth`: number of compared stored blocks. */
export class ReorgTooDeepError extends ChainError {
  override readonly name = 'ReorgTooDeepError';
  readonly retryable = false;
  readonly code = 'REORG_TOO_DEEP';
  constructor(readonly depth: number) {
    super(`The last ${depth} blocks that were read are not on the chain: a reorg this deep needs an operator`);
  }
}

/** A block contains a transaction of an unknown type, so its transactions cannot be verified. */
export class UnsupportedTransactionError extends ChainError {
  override readonly name = 'UnsupportedTransactionError';
  readonly retryable = false;
  readonly code = 'UNSUPPORTED_TRANSACTION';
  constructor(
    readonly type: string,
    readonly transactionHash: string,
  ) {
    super(`Transaction ${transactionHash} has type ${type}; this version can only verify the types 0 to 4`);
  }
}

/** The logs of a range lack a number that the contract assigned. No log of the range may be stored. */
export class IncompleteRangeError extends ChainError {
  override readonly name = 'IncompleteRangeError';
  readonly retryable = true;
  readonly code = 'INCOMPLETE_RANGE';
  constructor(
    readonly from: bigint,
    readonly to: bigint,
    readonly contradiction: string,
  ) {
    super(
      `The events of blocks ${from} to ${to} are incomplete: ${contradiction}. ` +
        'Check the nodes; after an error in the stored blocks, rebuild the database',
    );
  }
}

/** The answer exceeds our limit. The caller splits the request. */
export class AnswerTooLargeError extends ChainError {
  override readonly name = 'AnswerTooLargeError';
  readonly retryable = false;
  readonly code = 'ANSWER_TOO_LARGE';
  constructor(options?: ErrorOptions) {
    super("The node's answer is too large: split the request", options);
  }
}

/** The node did not answer: it is unavailable, too slow, rate-limits us, or has an internal fault. */
export class NodeUnavailableError extends ChainError {
  override readonly name: string = 'NodeUnavailableError';
  readonly retryable = true;
  readonly code = 'NODE_UNAVAILABLE';
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`No answer from the node: ${reason}`, options);
  }
}

/** The node rate-limited the request. Neither the request nor the node is faulty. */
export class NodeThrottledError extends NodeUnavailableError {
  override readonly name = 'NodeThrottledError';
  constructor(answer: string, options?: ErrorOptions) {
    super(`${THROTTLES} (${answer})`, options);
  }
}

/** The node answered with an error. `rpcCode`, `reason` and `data` are its code, message and data. */
export class NodeRefusedError extends ChainError {
  override readonly name = 'NodeRefusedError';
  readonly retryable = false;
  readonly code = 'NODE_REFUSED';
  constructor(
    readonly rpcCode: number,
    readonly reason: string,
    readonly data: unknown,
    options?: ErrorOptions,
  ) {
    super(`The node refused (${rpcCode}): ${reason}`, options);
  }
}

/** The answer of a node, or why there is none. */
export type NodeAnswer =
  { readonly node: string; readonly answer: string } | { readonly node: string; readonly failure: string };

/** Too few equal answers: some nodes are unavailable, lag, or lie. No decision may use any of the answers. */
export class QuorumError extends ChainError {
  override readonly name = 'QuorumError';
  readonly retryable = true;
  readonly code = 'NO_QUORUM';
  /** True if enough nodes answered but disagree. */
  readonly isDispute: boolean;
  constructor(
    readonly chain: string,
    readonly quorum: number,
    readonly answers: readonly NodeAnswer[],
  ) {
    const listed = answers.map((each) => `${each.node}: ${'answer' in each ? each.answer : each.failure}`).join('; ');
    const answered = answers.filter((each) => 'answer' in each).length;
    super(
      answered < quorum
        ? `Too few nodes of ${chain} answer, ${answered} of the ${quorum} that must agree: ${listed}`
        : `${quorum} nodes of ${chain} must agree, and do not: ${listed}`,
    );
    this.isDispute = answered >= quorum;
  }
}

/** Describes the error for users, after "the nodes". */
export function describeNodes(error: unknown): string {
  return error instanceof QuorumError && error.isDispute ? 'do not agree' : 'do not answer';
}

/**
 * Wording of rate limits of nodes and providers. The code -32005 is not enough, because besu uses it for a too high gas
 * limit.
 */
const RATE_LIMITED = /rate.?limit|too many requests|request limit|limit exceeded|capacity|quota|throttl/i;
/** Wording of limits on one answer or on open filters, as opposed to the number of requests. */
const ANSWER_LIMITED = /results|\blogs\b|range|response|answers?\b|trace|filters|subscriptions/i;
/** "Resource unavailable" (EIP-1474) and "Internal error" (JSON-RPC 2.0): the node did not judge the request. */
const NOT_JUDGED = new Set([-32002, -32603]);
/** Wording that judges the request under any code: nodes also send these as internal errors. */
const JUDGED = /revert|nonce|underpriced|insufficient|already|known|signature|gas|fee|invalid|exists|replace/i;

/**
 * Sends a request to a node and classifies its failure.
 *
 * @throws NodeUnavailableError, NodeRefusedError, AnswerTooLargeError
 */
export async function askNode<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw classifyRpcError(error);
  }
}

/**
 * Distinguishes a missing answer from an error answer. The message never contains the node's URL, since providers put
 * API keys into it.
 *
 * @throws the error itself if it does not come from a node, such as a bug of ours.
 */
export function classifyRpcError(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  if (!(error instanceof BaseError)) throw error;
  const response = error.walk((cause) => cause instanceof RpcRequestError);
  if (error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null) {
    return new AnswerTooLargeError({ cause: error });
  }
  if (!(response instanceof RpcRequestError)) {
    const refusal = error.walk((cause) => cause instanceof HttpRequestError);
    return refusal instanceof HttpRequestError ? classifyHttpError(refusal, error) : unavailable(error);
  }
  const { code, details, data } = response;
  if (RATE_LIMITED.test(details)) {
    return ANSWER_LIMITED.test(details)
      ? new NodeUnavailableError(details, { cause: error })
      : new NodeThrottledError(details, { cause: error });
  }
  if (NOT_JUDGED.has(code) && !JUDGED.test(details) && data === undefined) {
    return new NodeUnavailableError(details, { cause: error });
  }
  return new NodeRefusedError(code, details, data, { cause: error });
}

function classifyHttpError({ status }: HttpRequestError, cause: BaseError): ChainError {
  if (status === 429) return new NodeThrottledError('HTTP status 429', { cause });
  if (status !== 401 && status !== 403) return unavailable(cause);
  return new NodeUnavailableError(`it does not accept the key in its address (HTTP status ${status})`, { cause });
}

function unavailable(cause: BaseError): NodeUnavailableError {
  return new NodeUnavailableError(cause.shortMessage, { cause });
}
