import { RpcError } from './errors.js';
import { checkParams } from './params.js';
import { parseMessage, type Call, type Entry } from './parse.js';
import { errorResponse, MessageResponses, resultResponse } from './responses.js';
import type { Admit, CallContext, CallObserver, Method, Methods } from './types.js';
import { missingMethodError } from './unsupported-methods.js';

interface DispatcherOptions {
  readonly methods: Methods;
  /** Most calls of a batch (spec "Limits": 100). */
  readonly batchLimit: number;
  /** Most characters of the responses of a batch together; a call whose response goes beyond it gets -32005. */
  readonly batchAnswerLimit: number;
  /** Time after which the unanswered calls of a message get -32002, milliseconds. */
  readonly callTimeoutMs: number;
  readonly observer: CallObserver;
  /** Receives every error -32603, with its cause. */
  readonly logger: { error(details: object, message: string): void };
  /** A monotonic clock, milliseconds. */
  readonly now: () => number;
}

/** What the entries of one message share. */
interface MessageRun {
  readonly context: CallContext;
  readonly startedAt: number;
  readonly responses: MessageResponses;
}

/** The label of everything that is not a method on offer. */
const OTHER = 'other';

const admitAll: Admit = (calls) => ({ admitted: calls, refusal: '' });

/** Runs JSON-RPC 2.0 messages, single or batch, from text to text. */
export class Dispatcher {
  private readonly idleListeners = new Set<() => void>();
  private inFlight = 0;
  private isClosing = false;

  constructor(private readonly options: DispatcherOptions) {}

  /** Whether the gateway is shutting down. */
  get closing(): boolean {
    return this.isClosing;
  }

  /**
   * Answers one message. Never rejects: every failure becomes an error of the table.
   *
   * @param admit decides how many calls of the message run; all of them when left out.
   * @returns the response text; null if nothing is to be sent (only notifications).
   */
  async dispatch(message: string, context: CallContext, admit: Admit = admitAll): Promise<string | null> {
    this.inFlight += 1;
    try {
      return await this.answer(message, context, admit);
    } catch (error) {
      return errorResponse('null', this.toRpcError(error, OTHER));
    } finally {
      this.inFlight -= 1;
      if (this.inFlight === 0) for (const listener of this.idleListeners) listener();
    }
  }

  /** Refuses calls with -32002 from now on. Resolves when the calls in flight are answered, or after the timeout. */
  async close(timeoutMs: number): Promise<void> {
    this.isClosing = true;
    if (this.inFlight === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.idleListeners.add(resolve);
    await promise;
    clearTimeout(timer);
    this.idleListeners.delete(resolve);
  }

  private async answer(text: string, context: CallContext, admit: Admit): Promise<string | null> {
    const { batchLimit, batchAnswerLimit, observer } = this.options;
    const message = parseMessage(text, batchLimit);
    if (message.kind !== 'batch') {
      const entry = message.kind === 'single' ? message.entry : message.error;
      const [only] = await this.answerEntries([entry], Infinity, context, admit);
      return only ?? null;
    }
    observer.batchReceived(message.entries.length);
    const responses = await this.answerEntries(message.entries, batchAnswerLimit, context, admit);
    return responses.length === 0 ? null : `[${responses.join(',')}]`;
  }

  /** One timer serves the whole message: most batches are made of cheap calls. */
  private async answerEntries(
    entries: readonly Entry[],
    maxLength: number,
    context: CallContext,
    admit: Admit,
  ): Promise<readonly string[]> {
    const { callTimeoutMs, now } = this.options;
    const { admitted, refusal } = await this.admission(entries.length, admit);
    const run: MessageRun = { context, startedAt: now(), responses: new MessageResponses(entries.length, maxLength) };
    for (const [index, entry] of entries.entries()) {
      if (refusal !== null && index >= admitted) this.fail(entry, index, refusal, run, false);
      else if (entry instanceof RpcError) this.fail(entry, index, entry, run, true);
      else void this.start(entry, index, run);
    }
    const deadline = setTimeout(() => this.expire(entries, run), callTimeoutMs);
    const texts = await run.responses.complete;
    clearTimeout(deadline);
    return texts;
  }

  private async admission(
    calls: number,
    admit: Admit,
  ): Promise<{ readonly admitted: number; readonly refusal: RpcError | null }> {
    if (this.isClosing) {
      return { admitted: 0, refusal: new RpcError('RESOURCE_UNAVAILABLE', 'the gateway is shutting down; try again') };
    }
    const { admitted, refusal } = await admit(calls);
    return { admitted, refusal: admitted >= calls ? null : new RpcError('RATE_LIMIT_EXCEEDED', refusal) };
  }

  private async start(call: Call, index: number, run: MessageRun): Promise<void> {
    try {
      const result = await this.run(call, run.context);
      if (!run.responses.has(index)) this.end(call, index, 0, resultResponse(call.id ?? 'null', result), run, true);
    } catch (error) {
      this.fail(call, index, error, run, true);
    }
  }

  private async run(call: Call, context: CallContext): Promise<unknown> {
    const method = this.options.methods.get(call.method);
    if (method === undefined) throw missingMethodError(call.method);
    if (method.transport === 'websocket' && context.connection === null) {
      throw new RpcError('METHOD_NOT_SUPPORTED', `${method.name} needs a WebSocket connection; connect to /ws`);
    }
    if (call.id === null && method.opens === true) return null;
    return method.run(checkParams(method, call.params), context);
  }

  private expire(entries: readonly Entry[], run: MessageRun): void {
    const seconds = this.options.callTimeoutMs / 1_000;
    const late = new RpcError('RESOURCE_UNAVAILABLE', `no answer within ${seconds} s; try again later`);
    for (const [index, entry] of entries.entries()) this.fail(entry, index, late, run, true);
  }

  /** @param ran whether the entry was run; the time of one that was not is not measured. */
  private fail(entry: Entry, index: number, error: unknown, run: MessageRun, ran: boolean): void {
    // A result after the timeout is dropped.
    if (run.responses.has(index)) return;
    const known = this.toRpcError(error, this.labelOf(entry));
    const id = entry instanceof RpcError ? 'null' : (entry.id ?? 'null');
    this.end(entry, index, known.code, errorResponse(id, known), run, ran && !(entry instanceof RpcError));
  }

  private end(entry: Entry, index: number, code: number, text: string, run: MessageRun, ran: boolean): void {
    const { observer, now } = this.options;
    observer.callEnded(this.labelOf(entry), code, ran ? now() - run.startedAt : null);
    run.responses.set(index, entry instanceof RpcError ? 'null' : entry.id, text);
  }

  private labelOf(entry: Entry): string {
    const method: Method | undefined = entry instanceof RpcError ? undefined : this.options.methods.get(entry.method);
    return method?.name ?? OTHER;
  }

  /** Hides an unexpected error from the caller, and logs it. */
  private toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError && error.kind !== 'INTERNAL_ERROR') return error;
    const known = error instanceof RpcError ? error : new RpcError('INTERNAL_ERROR', undefined, { cause: error });
    const cause = known.cause ?? known;
    const err =
      cause instanceof Error ? cause : new Error('A call failed with a value that is not an Error', { cause });
    this.options.logger.error({ err, method }, 'A call failed unexpectedly');
    return known;
  }
}
