import { parseEndpoint } from '@causeway/service/configuration';
import { Pool } from 'undici';
import { BatchQueue } from './batch-queue.js';
import { NodeFailure, toNodeFailure } from './node-errors.js';
import type { UpstreamOptions } from './options.js';
import { readAnswers, type NodeAnswer } from './read-answers.js';

/**
 * Calls that can share a batch. A node answers a batch when its slowest call is done, so slow calls must not delay fast
 * ones, and transactions must not fail with reads.
 */
type QueueName = 'read' | 'execute' | 'heavy' | 'send';

const QUEUE_OF: Readonly<Record<string, QueueName>> = {
  eth_call: 'execute',
  eth_estimateGas: 'execute',
  eth_getLogs: 'heavy',
  eth_getBlockReceipts: 'heavy',
  eth_createAccessList: 'execute',
  eth_simulateV1: 'heavy',
  eth_getProof: 'heavy',
  debug_traceTransaction: 'heavy',
  debug_traceCall: 'heavy',
  debug_traceBlockByNumber: 'heavy',
  debug_traceBlockByHash: 'heavy',
  eth_sendRawTransaction: 'send',
};

/** Many clients request the head, its number, the gas price or the newest logs; these calls are short. */
const SHARED_LENGTH = 160;
const SETTINGS = {
  read: { preferredInFlight: 1, maxInFlight: 16, sharedLength: SHARED_LENGTH },
  execute: { preferredInFlight: 1, maxInFlight: 16, sharedLength: SHARED_LENGTH },
  // A node executes a batch sequentially, so slow calls are sent alone.
  heavy: { preferredInFlight: 8, maxInFlight: 8, sharedLength: SHARED_LENGTH, maxCalls: 1 },
  // Concurrent requests arrive in any order, and a node can refuse a transaction that arrives before its predecessor.
  send: { preferredInFlight: 1, maxInFlight: 1, sharedLength: 0 },
};
const LINGER_MS = 1;
const MAX_WAITING = 10_000;
const HEAVY_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** One for each batch in flight, and 16 for health checks and calls sent alone. */
const CONNECTIONS = 57;
/** Shorter than the five seconds after which Node's own servers close an idle connection. */
const KEEP_ALIVE_MS = 4_000;

/** Whether a method takes a node long. Such calls are sent alone and have a longer timeout. */
export function isHeavy(method: string): boolean {
  return getQueue(method) === 'heavy';
}

/** JSON-RPC client of one node, over kept-alive HTTP connections. */
export class NodeClient {
  /** Host and port, without path or credentials: both can hold a key. */
  readonly name: string;
  private readonly pool: Pool;
  private readonly path: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly queues: Readonly<Record<QueueName, BatchQueue>>;
  /** Functions that fail the pending requests. */
  private readonly pending = new Set<(failure: NodeFailure) => void>();
  private nextId = 1;
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(
    address: string,
    private readonly options: Required<UpstreamOptions>,
  ) {
    const { host, url: plain, headers } = parseEndpoint(address);
    const url = new URL(plain);
    this.name = host;
    this.path = `${url.pathname}${url.search}`;
    this.headers = { 'content-type': 'application/json', ...headers };
    this.pool = new Pool(url.origin, {
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: options.maxResponseBytes,
    });
    this.queues = {
      read: this.openQueue('read'),
      execute: this.openQueue('execute'),
      heavy: this.openQueue('heavy'),
      send: this.openQueue('send'),
    };
  }

  /** When the node last answered anything, by the options' clock. */
  get lastAnswerAt(): number {
    return this.answeredAt;
  }

  /**
   * Calls a method. Calls of the same event loop turn are sent as one batch.
   *
   * @throws NodeFailure when the node gave no usable answer; NodeRpcError when it answered with an error.
   */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.queues[getQueue(method)].push(toText(method, params));
  }

  /** Like `call`, in its own request without queueing: a call in a batch can fail because of the other calls. */
  async callAlone(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.callAll([[method, params]], this.getTimeout(getQueue(method)));
    if (answer !== undefined && 'result' in answer) return answer.result;
    throw answer;
  }

  /** Sends several calls in their own request, without queueing. Returns one answer per call, in order. */
  callAll(
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
    timeoutMs: number,
  ): Promise<readonly NodeAnswer[]> {
    const texts = calls.map(([method, params]) => toText(method, params));
    return this.send(texts, timeoutMs);
  }

  /** Fails every call that the node has not answered yet, so that other nodes can be asked. */
  failPending(reason: string): void {
    for (const queue of Object.values(this.queues)) queue.clear(new NodeFailure('overloaded', reason));
    for (const fail of this.pending) fail(new NodeFailure('timeout', reason));
  }

  async close(): Promise<void> {
    this.failPending('closed');
    await this.pool.destroy();
  }

  private openQueue(name: QueueName): BatchQueue {
    const timeoutMs = this.getTimeout(name);
    const options = {
      maxCalls: this.options.maxBatchCalls,
      lingerMs: LINGER_MS,
      maxWaiting: MAX_WAITING,
      maxWaitMs: timeoutMs,
      clock: this.options.clock,
      ...SETTINGS[name],
    };
    return new BatchQueue(options, (texts) => this.send(texts, timeoutMs));
  }

  private getTimeout(name: QueueName): number {
    return name === 'heavy' ? HEAVY_TIMEOUT_MS : this.options.timeoutMs;
  }

  /** Never rejects: a failed request fails each of its calls. */
  private async send(texts: readonly string[], timeoutMs: number): Promise<readonly NodeAnswer[]> {
    const first = this.nextId;
    this.nextId += texts.length;
    const calls = texts.map((text, index) => `{"jsonrpc":"2.0","id":${first + index},${text}}`);
    try {
      const body = await this.post(calls.length > 1 ? `[${calls.join(',')}]` : calls.join(''), timeoutMs);
      const answers = readAnswers(body, first, texts.length);
      this.answeredAt = this.options.clock();
      return answers;
    } catch (error) {
      return texts.map(() => error as Error);
    }
  }

  private async post(body: string, timeoutMs: number): Promise<string> {
    const abort = new AbortController();
    // undici handles an abort only once the request has a connection, so the result must not wait for it.
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const fail = (failure: NodeFailure): void => {
      reject(failure);
      abort.abort(failure);
    };
    const timer = setTimeout(() => {
      fail(new NodeFailure('timeout', `did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    this.pending.add(fail);
    try {
      return await Promise.race([this.exchange(body, abort.signal), failed]);
    } catch (error) {
      throw toNodeFailure(error);
    } finally {
      clearTimeout(timer);
      this.pending.delete(fail);
    }
  }

  private async exchange(body: string, signal: AbortSignal): Promise<string> {
    const { path, headers } = this;
    const response = await this.pool.request({ path, method: 'POST', headers, body, signal });
    if (response.statusCode === 200) return response.body.text();
    await response.body.dump();
    throw new NodeFailure('broken', describeStatus(response.statusCode));
  }
}

function describeStatus(status: number): string {
  if (status === 429) return 'limits the calls of this gateway (HTTP status 429)';
  if (status === 401 || status === 403) return `does not accept the key of this gateway (HTTP status ${status})`;
  return `answered with HTTP status ${status}`;
}

function getQueue(method: string): QueueName {
  return QUEUE_OF[method] ?? 'read';
}

/** A call without its id: members of a JSON object. `method` is one of the gateway's names, which need no escaping. */
function toText(method: string, params: readonly unknown[]): string {
  return `"method":"${method}","params":${JSON.stringify(params)}`;
}
