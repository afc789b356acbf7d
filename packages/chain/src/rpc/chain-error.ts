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

/** A failure while working with a chain. `retryable`: the same request may succeed a moment later. */
export abstract class ChainError extends Error {
  abstract readonly retryable: boolean;
  abstract readonly code: ChainErrorCode;
}

/** The node serves another chain than the configured one. */
export class WrongChainError extends ChainError {
  override readonly name = 'WrongChainError';
  readonly retryable = false;
  readonly code = 'WRONG_CHAIN';
  readonly exitCode = EX_CONFIG;
  /** @param node its host. */
  constructor(
    readonly node: string,
    readonly expected: number,
    readonly found: number,
  ) {
    super(`${node} is a node of chain ${found}, but chain ${expected} was expected: check the RPC addresses`);
  }
}

/** The answers of a node contradict each other: it is faulty, or a reorg happened between two requests. */
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

/** No common ancestor was found within the searched depth. `depth`: number of stored blocks that were compared. */
export class ReorgTooDeepError extends ChainError {
  override readonly name = 'ReorgTooDeepError';
  readonly retryable = false;
  readonly code = 'REORG_TOO_DEEP';
  constructor(readonly depth: number) {
    super(`The last ${depth} blocks that were read are no longer on the chain: a reorg this deep needs an operator`);
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

/** The logs of a range do not give every number that the contract gave out. Nothing of the range may be stored. */
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
      `The events of the blocks ${from} to ${to} are not complete: ${contradiction}. ` +
        'Check the nodes; after an error in the stored blocks, rebuild the database',
    );
  }
}

/** The answer is larger than we accept. The caller asks for less. */
export class AnswerTooLargeError extends ChainError {
  override readonly name = 'AnswerTooLargeError';
  readonly retryable = false;
  readonly code = 'ANSWER_TOO_LARGE';
  constructor(options?: ErrorOptions) {
    super('The answer of the node is too large: ask for less', options);
  }
}

/** No node answered: it is down, too slow, limits requests, or has an internal fault. */
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

/** The node refused the request because this process sends too many. Nothing is wrong with the request or the node. */
export class NodeThrottledError extends NodeUnavailableError {
  override readonly name = 'NodeThrottledError';
  constructor(answer: string, options?: ErrorOptions) {
    super(`${THROTTLES} (${answer})`, options);
  }
}

/** The node answered with an error. `rpcCode`, `reason` and `data` are the code, message and data of its answer. */
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

/** Too few nodes gave the same answer: some are away, lag, or lie. Nothing may be decided with any of the answers. */
export class QuorumError extends ChainError {
  override readonly name = 'QuorumError';
  readonly retryable = true;
  readonly code = 'NO_QUORUM';
  /** Whether enough nodes answered, and differ. */
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

/** Words for users, after "the nodes". */
export function describeNodes(error: unknown): string {
  return error instanceof QuorumError && error.isDispute ? 'do not agree' : 'do not answer';
}

/**
 * Wording of nodes and providers that limit requests. The code -32005 alone does not show it: besu uses it for a gas
 * limit that is too high.
 */
const RATE_LIMITED = /rate.?limit|too many requests|request limit|limit exceeded|capacity|quota|throttl/i;
/** Wording of a limit on one answer or on what a client holds, not on the number of its requests. */
const ANSWER_LIMITED = /results|\blogs\b|range|response|answers?\b|trace|filters|subscriptions/i;
/** "Resource unavailable" (EIP-1474) and "Internal error" (JSON-RPC 2.0): the node did not judge the request. */
const NOT_JUDGED = new Set([-32002, -32603]);
/** Wording that judges the request, whatever the code: nodes also send these as internal errors. */
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
 * Distinguishes a node that did not answer from a node that answered with an error. The message never contains the URL
 * of the node, since providers put API keys into it.
 *
 * @throws the error itself when it does not come from a node: a bug of ours is not a fault of the node.
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
