import { Pool } from 'undici';
import type { Asker } from '../asker.js';
import { CallQueue } from './call-queue.js';
import { callText } from './call-text.js';
import { Exchange } from './exchange.js';
import { laneOf } from './lane-of.js';
import type { Lane } from './lane.js';
import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';
import { readAnswers, type NodeAnswer } from './read-answers.js';
import type { UpstreamOptions } from './upstream-options.js';
import type { WireCall } from './wire-call.js';

/**
 * Batches under way to a node at the same time, by lane, at most; and while it answers at once. Requests under way together arrive in any order, and some
 * nodes refuse a transaction that arrives before the one it follows: so there is one at a time of these.
 */
const IN_FLIGHT = { read: 16, execute: 16, heavy: 8, send: 1 } as const satisfies Record<Lane, number>;
const EASY_IN_FLIGHT = { read: 1, execute: 1, heavy: 8, send: 1 } as const satisfies Record<Lane, number>;
/** What a call waits for company, at most, before it adds to what is under way. */
const EASY_WAIT_MS = 1;
/** Connections kept free for health checks and calls that travel alone. */
const SPARE_CONNECTIONS = 16;
/**
 * Equal calls share an answer up to this length. What many callers ask alike, such as the head, its number or the gas price, is short; an address or a hash
 * makes a call longer, and hashing every such text cost a batch more than it ever saved. What is heavy travels alone and costs a node so much more.
 * Transactions are never shared.
 */
const SHARED_LENGTH = { read: 64, execute: 64, heavy: 160, send: 0 } as const satisfies Record<Lane, number>;
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
  /** No Set: every table that one outgrows keeps what was in it alive, and the next table with it, until a full garbage collection. */
  private readonly underWay: Exchange[] = [];
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
      read: this.queue('read'),
      execute: this.queue('execute'),
      heavy: this.queue('heavy'),
      send: this.queue('send'),
    };
  }

  /** When the node last answered anything, by the options' clock. */
  get lastAnswerAt(): number {
    return this.answeredAt;
  }

  /**
   * Asks the node. Calls made in the same turn of the event loop travel as one batch. The asker is told as by `call`.
   *
   * @param text method and params as members of a JSON object. Those that wait beside an equal one may travel with it.
   */
  ask(method: string, text: string, asker: Asker): void {
    this.queues[laneOf(method)].push(text, asker);
  }

  /**
   * Asks the node in a request of its own, at once: what failed in a batch may have failed for its company.
   *
   * @param text as for `ask`.
   * @throws NodeFailure when it gave no usable answer; NodeRefusal when it answered with an error.
   */
  askAlone(method: string, text: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      void this.deliver([{ text, resolve, reject }], this.timeoutOf(laneOf(method)));
    });
  }

  /**
   * Asks the node.
   *
   * @param alone as `askAlone` does it.
   * @throws NodeFailure when it gave no usable answer; NodeRefusal when it answered with an error.
   */
  call(method: string, params: readonly unknown[], alone = false): Promise<unknown> {
    const text = callText(method, params);
    return alone
      ? this.askAlone(method, text)
      : new Promise((resolve, reject) => this.ask(method, text, { resolve, reject }));
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
    for (const exchange of this.underWay) exchange.giveUp(new NodeFailure('timeout', reason));
  }

  async close(): Promise<void> {
    this.giveUp('closed');
    await this.pool.destroy();
  }

  private queue(lane: Lane): CallQueue {
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
      sharedLength: SHARED_LENGTH[lane],
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
    let answers: readonly (NodeAnswer | undefined)[];
    try {
      answers = readAnswers(await this.post(bodyOf(calls, first), timeoutMs), first, calls.length);
    } catch (error) {
      for (const call of calls) call.reject(error);
      return;
    }
    this.answeredAt = this.options.clock();
    for (const [index, call] of calls.entries()) settle(call, answers[index]);
  }

  private async post(body: string, timeoutMs: number): Promise<string> {
    const exchange = new Exchange();
    const timer = setTimeout(() => {
      exchange.giveUp(new NodeFailure('timeout', `did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    this.underWay.push(exchange);
    try {
      const { headers, path } = this;
      this.pool.dispatch({ path, method: 'POST', headers, body }, exchange);
      return await exchange.answer;
    } finally {
      clearTimeout(timer);
      this.underWay.splice(this.underWay.indexOf(exchange), 1);
    }
  }
}

/** Tells one call what came of it. An asker that fails has itself to blame, and no other call of the batch is to hear of it. */
function settle(call: WireCall, answer: NodeAnswer | undefined): void {
  try {
    if (answer === undefined) call.reject(new NodeFailure('malformed', 'left a call of a batch out'));
    else if (answer instanceof NodeRefusal) call.reject(answer);
    else call.resolve(answer.result);
  } catch (error) {
    call.reject(error);
  }
}

/** What is posted for the calls, which get ids from `first` on. More than one are an array. */
function bodyOf(calls: readonly WireCall[], first: number): string {
  let id = first;
  let body = '';
  for (const { text } of calls) body += `${id === first ? '' : ','}{"jsonrpc":"2.0","id":${id++},${text}}`;
  return calls.length > 1 ? `[${body}]` : body;
}
