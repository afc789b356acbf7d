import { Pool } from 'undici';
import { CallQueue } from './call-queue.js';
import { laneOf } from './lane-of.js';
import type { Lane } from './lane.js';
import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';
import { readAnswers } from './read-answers.js';
import { toNodeFailure } from './to-node-failure.js';
import type { UpstreamOptions } from './upstream-options.js';
import type { WireCall } from './wire-call.js';

/** Batches under way to a node at the same time, by lane, at most; and while it answers at once. */
const IN_FLIGHT = { read: 16, execute: 16, heavy: 8, send: 8 } as const satisfies Record<Lane, number>;
const EASY_IN_FLIGHT = { read: 1, execute: 1, heavy: 8, send: 1 } as const satisfies Record<Lane, number>;
/** What a call waits for company, at most, before it adds to what is under way. */
const EASY_WAIT_MS = 1;
/** Connections kept free for health checks and calls that travel alone. */
const SPARE_CONNECTIONS = 16;
const MAX_WAITING = 10_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** Shorter than the five seconds after which Node's own servers close an idle connection. */
const KEEP_ALIVE_MS = 4_000;

/** One node, spoken to over kept-alive HTTP connections. Tells apart a failure to answer from an answer that refuses. */
export class JsonRpcNode {
  /** Host and port, without path or credentials: both can hold a key. */
  readonly name: string;
  private readonly pool: Pool;
  private readonly path: string;
  private readonly headers: Record<string, string> = { 'content-type': 'application/json' };
  private readonly queues: Readonly<Record<Lane, CallQueue>>;
  private readonly underWay = new Set<AbortController>();
  private nextId = 1;
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(
    address: string,
    private readonly options: Required<UpstreamOptions>,
  ) {
    const url = new URL(address);
    this.name = url.host;
    this.path = `${url.pathname}${url.search}`;
    if (url.username !== '' || url.password !== '') {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      this.headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    this.pool = new Pool(url.origin, {
      connections: Object.values<number>(IN_FLIGHT).reduce((sum, count) => sum + count, SPARE_CONNECTIONS),
      connect: { timeout: CONNECT_TIMEOUT_MS },
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: options.maxResponseBytes,
    });
    this.queues = {
      read: this.queue('read', true),
      execute: this.queue('execute', true),
      heavy: this.queue('heavy', true),
      send: this.queue('send', false),
    };
  }

  /** When the node last answered anything, by the options' clock. */
  get lastAnswerAt(): number {
    return this.answeredAt;
  }

  /**
   * Asks the node. Calls made in the same turn of the event loop travel as one batch.
   *
   * @param alone send the call in a request of its own, at once: what failed in a batch may have failed for its company.
   * @throws NodeFailure when it gave no usable answer; NodeRefusal when it answered with an error.
   */
  call(method: string, params: readonly unknown[], alone = false): Promise<unknown> {
    const text = callText(method, params);
    const lane = laneOf(method);
    if (!alone) return this.queues[lane].push(text);
    return new Promise((resolve, reject) => {
      void this.deliver([{ text, resolve, reject }], this.timeoutOf(lane));
    });
  }

  /** Asks several things in one request of their own, past all queues. The outcomes are in the order of the calls. */
  callAll(
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
    timeoutMs: number,
  ): Promise<PromiseSettledResult<unknown>[]> {
    const wired: WireCall[] = [];
    const answers = calls.map(
      ([method, params]) =>
        new Promise<unknown>((resolve, reject) => {
          wired.push({ text: callText(method, params), resolve, reject });
        }),
    );
    void this.deliver(wired, timeoutMs);
    return Promise.allSettled(answers);
  }

  /** Gives up on every call that the node has not answered yet, so that others can be asked. */
  giveUp(reason: string): void {
    for (const lane of Object.values(this.queues)) lane.clear(new NodeFailure('overloaded', reason));
    for (const controller of this.underWay) controller.abort(new NodeFailure('timeout', reason));
  }

  async close(): Promise<void> {
    this.giveUp('closed');
    await this.pool.destroy();
  }

  private queue(lane: Lane, share: boolean): CallQueue {
    const { maxBatchCalls, clock } = this.options;
    const timeoutMs = this.timeoutOf(lane);
    const limits = {
      // Nodes work a batch off one by one: what takes long goes alone.
      maxCalls: lane === 'heavy' ? 1 : maxBatchCalls,
      easyInFlight: EASY_IN_FLIGHT[lane],
      easyWaitMs: EASY_WAIT_MS,
      maxInFlight: IN_FLIGHT[lane],
      maxWaiting: MAX_WAITING,
      maxWaitMs: timeoutMs,
      share,
      clock,
    };
    return new CallQueue(limits, (calls) => this.deliver(calls, timeoutMs));
  }

  private timeoutOf(lane: Lane): number {
    return lane === 'heavy' ? this.options.heavyTimeoutMs : this.options.timeoutMs;
  }

  private async deliver(calls: readonly WireCall[], timeoutMs: number): Promise<void> {
    const first = this.nextId;
    this.nextId += calls.length;
    const texts = calls.map(({ text }, index) => `{"jsonrpc":"2.0","id":${first + index},${text}}`);
    try {
      const text = await this.post(texts.length > 1 ? `[${texts.join(',')}]` : texts.join(''), timeoutMs);
      const answers = readAnswers(text, first, calls.length);
      this.answeredAt = this.options.clock();
      for (const [index, call] of calls.entries()) {
        const answer = answers[index];
        if (answer === undefined) call.reject(new NodeFailure('malformed', 'left a call of a batch out'));
        else if (answer instanceof NodeRefusal) call.reject(answer);
        else call.resolve(answer.result);
      }
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  }

  private async post(body: string, timeoutMs: number): Promise<string> {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new NodeFailure('timeout', `did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    this.underWay.add(controller);
    try {
      const { headers, path } = this;
      const response = await this.pool.request({ path, method: 'POST', headers, body, signal: controller.signal });
      if (response.statusCode !== 200) {
        await response.body.dump();
        throw new NodeFailure('broken', `answered with HTTP status ${response.statusCode}`);
      }
      return await response.body.text();
    } catch (error) {
      throw toNodeFailure(controller.signal.aborted ? controller.signal.reason : error);
    } finally {
      clearTimeout(timer);
      this.underWay.delete(controller);
    }
  }
}

/** A call as it is sent, but for its id. Equal calls have equal texts. */
function callText(method: string, params: readonly unknown[]): string {
  return `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`;
}
