import type { CallContext, Method } from '../methods/method.js';
import type { Admit } from './admit.js';
import { answer } from './answer.js';
import type { CallObserver } from './call-observer.js';
import { checkParams } from './check-params.js';
import type { Dispatcher } from './dispatcher.js';
import { missingMethod } from './missing-method.js';
import { parseMessage, type Call, type Entry } from './parse-message.js';
import { RpcError } from './rpc-error.js';
import { within } from './within.js';

/** What the dispatcher needs to know. */
export interface DispatcherOptions {
  readonly methods: ReadonlyMap<string, Method>;
  /** Most calls of a batch (spec "Limits": 100). */
  readonly batchLimit: number;
  /** Most characters that the answers of a batch may have together; a call whose answer goes beyond is refused with -32005. */
  readonly batchAnswerLimit: number;
  /** How long a call may take before it is answered with -32002. */
  readonly callTimeoutMs: number;
  readonly observer: CallObserver;
  /** Hears of every answer -32603, with its cause. */
  readonly logger: { error(details: object, message: string): void };
  /** A monotonic clock, milliseconds. */
  readonly now: () => number;
}

/** The label of everything that is no method on offer. */
const OTHER = 'other';

const admitAll: Admit = (calls) => ({ admitted: calls, refusal: '' });

/** Carries JSON-RPC 2.0 messages out with the methods on offer. */
export class JsonRpcDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #idleListeners = new Set<() => void>();
  #underWay = 0;
  #closing = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
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
      return answer.error('null', this.#toRpcError(error, OTHER));
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
    const message = parseMessage(text, this.#options.batchLimit);
    if (message.kind === 'batch') return this.#answerBatch(message.entries, context, admit);
    const entry = message.kind === 'single' ? message.entry : message.error;
    const { admitted, refusal } = await this.#admission(1, admit);
    return this.#answerEntry(entry, context, admitted > 0 ? null : refusal);
  }

  async #answerBatch(entries: readonly Entry[], context: CallContext, admit: Admit): Promise<string | null> {
    this.#options.observer.batchReceived(entries.length);
    const { admitted, refusal } = await this.#admission(entries.length, admit);
    let length = 0;
    const answers = await Promise.all(
      entries.map(async (entry, index) => {
        const text = await this.#answerEntry(entry, context, index < admitted ? null : refusal);
        if (text === null) return null;
        if (length + text.length > this.#options.batchAnswerLimit) return tooLong(entry);
        length += text.length;
        return text;
      }),
    );
    const sent = answers.filter((text) => text !== null);
    return sent.length === 0 ? null : `[${sent.join(',')}]`;
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

  async #answerEntry(entry: Entry, context: CallContext, refusal: RpcError | null): Promise<string | null> {
    if (entry instanceof RpcError) {
      const error = refusal ?? entry;
      this.#options.observer.callEnded(OTHER, error.code, null);
      return answer.error('null', error);
    }
    const text = await this.#carryOut(entry, context, refusal);
    return entry.id === null ? null : text;
  }

  async #carryOut(call: Call, context: CallContext, refusal: RpcError | null): Promise<string> {
    const { observer, methods, now } = this.#options;
    const id = call.id ?? 'null';
    const method = methods.get(call.method);
    const label = method === undefined ? OTHER : method.name;
    const startedAt = now();
    try {
      if (refusal !== null) throw refusal;
      const text = answer.result(id, await this.#run(method, call, context));
      observer.callEnded(label, 0, now() - startedAt);
      return text;
    } catch (error) {
      const known = this.#toRpcError(error, label);
      observer.callEnded(label, known.code, refusal === null ? now() - startedAt : null);
      return answer.error(id, known);
    }
  }

  #run(method: Method | undefined, call: Call, context: CallContext): Promise<unknown> {
    if (method === undefined) throw missingMethod(call.method);
    if (method.transport === 'websocket' && context.connection === null) {
      throw new RpcError('METHOD_NOT_SUPPORTED', `${method.name} needs a WebSocket connection; connect to /ws`);
    }
    const params = checkParams(method, call.params);
    return within(this.#options.callTimeoutMs, method.run(params, context));
  }

  /** What the caller is told of an exception; the unexpected is logged and not told. */
  #toRpcError(error: unknown, method: string): RpcError {
    const known = error instanceof RpcError ? error : new RpcError('INTERNAL_ERROR', undefined, { cause: error });
    if (known.kind === 'INTERNAL_ERROR') {
      this.#options.logger.error({ err: known.cause ?? known, method }, 'A call failed unexpectedly');
    }
    return known;
  }
}

function tooLong(entry: Entry): string {
  const id = entry instanceof RpcError ? 'null' : (entry.id ?? 'null');
  return answer.error(
    id,
    new RpcError('RATE_LIMIT_EXCEEDED', 'the answers of this batch are too long; ask for less at once'),
  );
}
