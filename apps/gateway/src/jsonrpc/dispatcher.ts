import { errorResponse, RpcError } from './errors.js';
import { checkParams, type CallContext, type Methods } from './method.js';
import { parseMessage, type Call, type Entry } from './parse.js';
import { missingMethodError } from './unsupported-methods.js';

interface Admission {
  /** From 0 to the number asked for; the first calls of the message run. */
  readonly admitted: number;
  /** The detail of the error -32005 of the calls that do not run. */
  readonly refusal: string;
}

/** Decides how many calls of a message run, before any of them. Invalid calls count too. Must not reject. */
type Admit = (calls: number) => Admission | Promise<Admission>;

/** Receives measurements of calls. Implementations must not throw. */
export interface CallObserver {
  /** @param method one on offer, or `other`. @param code 0 for a result. @param durationMs null if it never ran. */
  callEnded(method: string, code: number, durationMs: number | null): void;
  batchReceived(calls: number): void;
}

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
  readonly now: () => number;
}

/** A message and the responses to its entries, each at its index; null for a notification. */
interface MessageRun {
  readonly entries: readonly Entry[];
  readonly context: CallContext;
  readonly startedAt: number;
  readonly texts: (string | null | undefined)[];
  readonly done: PromiseWithResolvers<void>;
  /** Entries without a response yet. */
  missing: number;
  /** Characters that the responses may still have together. */
  room: number;
}

/** The label of everything that is not a method on offer. */
const OTHER = 'other';

const admitAll: Admit = (calls) => ({ admitted: calls, refusal: '' });

/** Runs JSON-RPC 2.0 messages, single or batch, from text to text. */
export class Dispatcher {
  private onIdle: (() => void) | null = null;
  private inFlight = 0;
  private isClosing = false;

  constructor(private readonly options: DispatcherOptions) {}

  get closing(): boolean {
    return this.isClosing;
  }

  /** Answers one message; null if there are only notifications. Never rejects: failures become errors of the table. */
  async dispatch(message: string, context: CallContext, admit: Admit = admitAll): Promise<string | null> {
    this.inFlight += 1;
    try {
      return await this.answer(message, context, admit);
    } catch (error) {
      return errorResponse('null', this.toRpcError(error, OTHER));
    } finally {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.onIdle?.();
    }
  }

  /** Refuses calls with -32002 from now on. Resolves when the calls in flight are answered, or after the timeout. */
  async close(timeoutMs: number): Promise<void> {
    this.isClosing = true;
    if (this.inFlight === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.onIdle = resolve;
    await promise;
    clearTimeout(timer);
  }

  private async answer(text: string, context: CallContext, admit: Admit): Promise<string | null> {
    const { batchLimit, batchAnswerLimit, observer } = this.options;
    const { isBatch, entries } = parseMessage(text, batchLimit);
    if (isBatch) observer.batchReceived(entries.length);
    const texts = await this.answerEntries(entries, isBatch ? batchAnswerLimit : Infinity, context, admit);
    if (texts.length === 0) return null;
    return isBatch ? `[${texts.join(',')}]` : texts.join();
  }

  /** One timer serves the whole message: most batches are made of cheap calls. */
  private async answerEntries(
    entries: readonly Entry[],
    room: number,
    context: CallContext,
    admit: Admit,
  ): Promise<readonly string[]> {
    const { callTimeoutMs, now } = this.options;
    const { admitted, refusal } = await this.admission(entries.length, admit);
    const done = Promise.withResolvers<void>();
    const run: MessageRun = { entries, context, startedAt: now(), texts: [], done, missing: entries.length, room };
    for (const [index, entry] of entries.entries()) {
      if (refusal !== null && index >= admitted) this.fail(run, index, refusal, false);
      else if (entry instanceof RpcError) this.fail(run, index, entry, false);
      else void this.start(run, index, entry);
    }
    const deadline = setTimeout(() => this.expire(run), callTimeoutMs);
    await done.promise;
    clearTimeout(deadline);
    return run.texts.filter((text) => typeof text === 'string');
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

  private async start(run: MessageRun, index: number, call: Call): Promise<void> {
    try {
      const result = await this.run(call, run.context);
      // A result after the timeout is dropped.
      if (run.texts[index] !== undefined) return;
      const text = `{"jsonrpc":"2.0","id":${call.id ?? 'null'},"result":${JSON.stringify(result) ?? 'null'}}`;
      this.end(run, index, 0, text, true);
    } catch (error) {
      this.fail(run, index, error, true);
    }
  }

  private run(call: Call, context: CallContext): Promise<unknown> | null {
    const method = this.options.methods.get(call.method);
    if (method === undefined) throw missingMethodError(call.method);
    if (method.transport === 'websocket' && context.connection === null) {
      throw new RpcError('METHOD_NOT_SUPPORTED', `${method.name} needs a WebSocket connection; connect to /ws`);
    }
    if (call.id === null && method.opens === true) return null;
    return method.run(checkParams(method, call.params), context);
  }

  private expire(run: MessageRun): void {
    const seconds = this.options.callTimeoutMs / 1_000;
    const late = new RpcError('RESOURCE_UNAVAILABLE', `no answer within ${seconds} s; try again later`);
    for (const index of run.entries.keys()) this.fail(run, index, late, true);
  }

  private fail(run: MessageRun, index: number, error: unknown, ran: boolean): void {
    if (run.texts[index] !== undefined) return;
    const entry = run.entries[index];
    const known = this.toRpcError(error, this.labelOf(entry));
    this.end(run, index, known.code, errorResponse(idOf(entry) ?? 'null', known), ran);
  }

  /** @param ran whether the entry was run; the time of one that was not is not measured. */
  private end(run: MessageRun, index: number, code: number, text: string, ran: boolean): void {
    const { observer, now } = this.options;
    const entry = run.entries[index];
    observer.callEnded(this.labelOf(entry), code, ran ? now() - run.startedAt : null);
    const id = idOf(entry);
    if (id !== null && text.length > run.room) {
      const problem = 'the responses of this batch are too long; send fewer calls in one batch';
      run.texts[index] = errorResponse(id, new RpcError('RATE_LIMIT_EXCEEDED', problem));
    } else {
      run.texts[index] = id === null ? null : text;
      if (id !== null) run.room -= text.length;
    }
    run.missing -= 1;
    if (run.missing === 0) run.done.resolve();
  }

  private labelOf(entry: Entry | undefined): string {
    if (entry === undefined || entry instanceof RpcError) return OTHER;
    return this.options.methods.get(entry.method)?.name ?? OTHER;
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

/** The id of the response as JSON text: `null` for an invalid call; null for a notification, which gets none. */
function idOf(entry: Entry | undefined): string | null {
  return entry === undefined || entry instanceof RpcError ? 'null' : entry.id;
}
