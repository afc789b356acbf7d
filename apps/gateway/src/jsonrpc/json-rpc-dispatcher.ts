import type { CallContext, Method } from '../methods/method.js';
import type { Admit } from './admit.js';
import { answer } from './answer.js';
import { Answers } from './answers.js';
import type { CallObserver } from './call-observer.js';
import { checkParams } from './check-params.js';
import type { Dispatcher } from './dispatcher.js';
import { knownError, type ErrorLog } from './known-error.js';
import { missingMethod } from './missing-method.js';
import { OpenEntry, type MessageRun } from './open-entry.js';
import { parseMessage, type Call, type Entry } from './parse-message.js';
import { PlainCall } from './plain-call.js';
import { PlainCalls } from './plain-calls.js';
import { RpcError } from './errors.js';

/** What the dispatcher needs to know. */
export interface DispatcherOptions {
  readonly methods: ReadonlyMap<string, Method>;
  /** Most calls of a batch (spec "Limits": 100). */
  readonly batchLimit: number;
  /** Most characters that the answers of a batch may have together; a call whose answer goes beyond is refused with -32005. */
  readonly batchAnswerLimit: number;
  /** How long the calls of a message may take before those that are not answered yet are answered with -32002. */
  readonly callTimeoutMs: number;
  readonly observer: CallObserver;
  readonly logger: ErrorLog;
  /** A monotonic clock, milliseconds. */
  readonly now: () => number;
}

/** The label of everything that is no method on offer. */
const OTHER = 'other';

const admitAll: Admit = (calls) => ({ admitted: calls, refusal: '' });

/** Carries JSON-RPC 2.0 messages out with the methods on offer. */
export class JsonRpcDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #plainCalls: PlainCalls;
  readonly #idleListeners = new Set<() => void>();
  #underWay = 0;
  #closing = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#plainCalls = new PlainCalls(options.methods.values());
  }

  /** Whether it is shutting down. */
  get closing(): boolean {
    return this.#closing;
  }

  async dispatch(message: string, context: CallContext, admit: Admit = admitAll): Promise<string | null> {
    this.#underWay += 1;
    try {
      return await this.#answerMessage(message, context, admit);
    } catch (error) {
      return answer.error('null', knownError(error, OTHER, this.#options.logger));
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const listener of this.#idleListeners) listener();
    }
  }

  /**
   * From now on calls are answered with -32002. Resolves when those under way are answered, or at the latest after `patienceMs`.
   */
  async close(patienceMs: number): Promise<void> {
    this.#closing = true;
    if (this.#underWay === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    this.#idleListeners.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#idleListeners.delete(resolve);
  }

  async #answerMessage(text: string, context: CallContext, admit: Admit): Promise<string | null> {
    const { batchLimit, batchAnswerLimit, observer } = this.#options;
    const message = this.#plainCalls.read(text, batchLimit) ?? parseMessage(text, batchLimit);
    if (message.kind !== 'batch') {
      const entry = message.kind === 'single' ? message.entry : message.error;
      const [only] = await this.#answerEntries([entry], Infinity, context, admit);
      return only ?? null;
    }
    observer.batchReceived(message.entries.length);
    const answers = await this.#answerEntries(message.entries, batchAnswerLimit, context, admit);
    return answers.length === 0 ? null : `[${answers.join(',')}]`;
  }

  /** A batch of cheap calls is common, so a call costs no promise here and the message one timer. */
  async #answerEntries(
    entries: readonly Entry[],
    answerLimit: number,
    context: CallContext,
    admit: Admit,
  ): Promise<readonly string[]> {
    const { callTimeoutMs, observer, logger, now } = this.#options;
    const { admitted, refusal } = await this.#admission(entries.length, admit);
    const answers = new Answers(entries.length, answerLimit);
    const message = { context, startedAt: now(), answers, observer, logger, now };
    const open = entries.map((entry, place) => this.#begin(entry, place < admitted ? null : refusal, place, message));
    const deadline = setTimeout(() => {
      const late = new RpcError('RESOURCE_UNAVAILABLE', `no answer within ${callTimeoutMs / 1_000} s; try again later`);
      for (const entry of open) entry.reject(late);
    }, callTimeoutMs);
    const texts = await answers.all;
    clearTimeout(deadline);
    return texts;
  }

  async #admission(
    calls: number,
    admit: Admit,
  ): Promise<{ readonly admitted: number; readonly refusal: RpcError | null }> {
    if (this.#closing) {
      return { admitted: 0, refusal: new RpcError('RESOURCE_UNAVAILABLE', 'the gateway is shutting down; try again') };
    }
    const { admitted, refusal } = await admit(calls);
    return { admitted, refusal: admitted >= calls ? null : new RpcError('RATE_LIMIT_EXCEEDED', refusal) };
  }

  /**
   * Carries an entry out; what comes of it goes to its place among the answers.
   *
   * @param refusal why it may not run, or null.
   */
  #begin(entry: Entry, refusal: RpcError | null, place: number, message: MessageRun): OpenEntry {
    if (entry instanceof RpcError) {
      const open = new OpenEntry('null', OTHER, false, false, place, message);
      open.reject(refusal ?? entry);
      return open;
    }
    const isPlain = entry instanceof PlainCall;
    const method = isPlain ? undefined : this.#options.methods.get(entry.method);
    const label = isPlain ? entry.method : (method?.name ?? OTHER);
    const open = new OpenEntry(entry.id, label, isPlain, refusal === null, place, message);
    try {
      if (refusal !== null) throw refusal;
      if (isPlain) entry.way.ask(entry.text, open);
      else {
        this.#run(method, entry, message.context).then(
          (result) => open.resolve(result),
          (error: unknown) => open.reject(error),
        );
      }
    } catch (error) {
      open.reject(error);
    }
    return open;
  }

  #run(method: Method | undefined, call: Call, context: CallContext): Promise<unknown> {
    if (method === undefined) throw missingMethod(call.method);
    if (method.transport === 'websocket' && context.connection === null) {
      throw new RpcError('METHOD_NOT_SUPPORTED', `${method.name} needs a WebSocket connection; connect to /ws`);
    }
    if (call.id === null && method.opens === true) return Promise.resolve(null);
    return method.run(checkParams(method, call.params), context);
  }
}
