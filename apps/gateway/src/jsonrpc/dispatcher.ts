import { errorResponse, RpcError } from './errors.js';
import { checkParams, type CallContext, type Methods } from './method.js';
import { parseMessage, type Call, type Entry } from './parse.js';
import { missingMethodError } from './unsupported-methods.js';

interface Admission {
  /** From 0 to the requested number; the first calls of the message run. */
  readonly admitted: number;
  /** Detail of the error -32005 for calls that do not run. */
  readonly refusal: string;
}

/** Decides how many calls of a message run, before any of them. Invalid calls count too. Must not reject. */
type Admit = (calls: number) => Admission | Promise<Admission>;

/** Receives measurements of calls. Implementations must not throw. */
export interface CallObserver {
  /**
   * @param method a supported method, or `other`. @param code 0 for a result. @param durationMs null if it never ran.
   */
  callEnded(method: string, code: number, durationMs: number | null): void;
  batchReceived(calls: number): void;
}

interface DispatcherOptions {
  readonly methods: Methods;
  /** Maximum calls in a batch (spec "Limits": 100). */
  readonly batchLimit: number;
  /** Maximum characters of a batch's responses together; a call whose response exceeds it gets -32005. */
  readonly batchAnswerLimit: number;
  /** Time after which the unanswered calls of a message get -32002, milliseconds. */
  readonly callTimeoutMs: number;
  readonly observer: CallObserver;
  /** Receives every error -32603, with its cause. */
  readonly logger: { error(details: object, message: string): void };
  readonly now: () => number;
}

/** The state that the calls of one message share. */
interface MessageRun {
  readonly context: CallContext;
  readonly startedAt: number;
  /** Rejects when the message times out. */
  readonly late: Promise<never>;
  /** Characters left for the responses together. */
  room: number;
}

/** The label of unsupported methods. */
const OTHER = 'other';

const CLOSING: Admission = { admitted: 0, refusal: 'the gateway is shutting down; try again' };
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

  /** Answers one message; null if it has only notifications. Never rejects: failures become errors of the table. */
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

  /** One timer serves the whole message, because most batches consist of cheap calls. */
  private async answer(text: string, context: CallContext, admit: Admit): Promise<string | null> {
    const { batchLimit, batchAnswerLimit, callTimeoutMs, observer, now } = this.options;
    const { isBatch, entries, refusedIds } = parseMessage(text, batchLimit);
    if (isBatch) observer.batchReceived(entries.length);
    const kind = this.isClosing ? 'RESOURCE_UNAVAILABLE' : 'RATE_LIMIT_EXCEEDED';
    const { admitted, refusal } = this.isClosing ? CLOSING : await admit(entries.length);
    const refused = admitted < entries.length ? new RpcError(kind, refusal) : null;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const deadline = setTimeout(() => {
      reject(new RpcError('RESOURCE_UNAVAILABLE', `no answer within ${callTimeoutMs / 1_000} s; try again later`));
    }, callTimeoutMs);
    const run: MessageRun = { context, startedAt: now(), late, room: isBatch ? batchAnswerLimit : Infinity };
    const responses = await Promise.all(
      entries.map((entry, index) => this.respond(run, entry, index < admitted ? null : refused)),
    );
    clearTimeout(deadline);
    if (refusedIds.length > 0) {
      const [problem] = entries;
      const error = refused ?? this.toRpcError(problem, OTHER);
      return `[${refusedIds.map((id) => errorResponse(id, error)).join(',')}]`;
    }
    const texts = responses.filter((response) => response !== null);
    if (texts.length === 0) return null;
    return isBatch ? `[${texts.join(',')}]` : texts.join();
  }

  /** The response to one entry; null to a notification. @param refusal why the entry must not run; null to run it. */
  private async respond(run: MessageRun, entry: Entry, refusal: RpcError | null): Promise<string | null> {
    const { methods, observer, now } = this.options;
    const isCall = !(entry instanceof RpcError);
    const id = isCall ? entry.id : 'null';
    const label = isCall ? (methods.get(entry.method)?.name ?? OTHER) : OTHER;
    const runs = isCall && refusal === null;
    let code = 0;
    let text: string;
    try {
      if (refusal !== null) throw refusal;
      if (!isCall) throw entry;
      const result = await Promise.race([this.run(entry, run.context), run.late]);
      text = `{"jsonrpc":"2.0","id":${id ?? 'null'},"result":${result}}`;
    } catch (error) {
      const known = this.toRpcError(error, label);
      ({ code } = known);
      text = errorResponse(id ?? 'null', known);
    }
    observer.callEnded(label, code, runs ? now() - run.startedAt : null);
    if (id === null) return null;
    if (text.length > run.room) {
      const problem = 'the responses of this batch are too long; send fewer calls in one batch';
      return errorResponse(id, new RpcError('RATE_LIMIT_EXCEEDED', problem));
    }
    run.room -= text.length;
    return text;
  }

  /** @returns the JSON text of the result. */
  private async run(call: Call, context: CallContext): Promise<string> {
    const method = this.options.methods.get(call.method);
    if (method === undefined) throw missingMethodError(call.method);
    if (method.transport === 'websocket' && context.connection === null) {
      throw new RpcError('METHOD_NOT_SUPPORTED', `${method.name} needs a WebSocket connection; connect to /ws`);
    }
    if (call.id === null && method.opens === true) return 'null';
    if (method.answer !== undefined) return method.answer(call.params, context);
    return JSON.stringify(await method.run(checkParams(method, call.params), context)) ?? 'null';
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
