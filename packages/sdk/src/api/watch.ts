import { isTerminal, type BridgeOperationResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import { ApiError, type UnreachableError } from '../errors.js';
import { openEventStream } from './event-stream.js';
import { operationShape, toQuery, type OperationIdentifier } from './operation.js';
import { pause, type Page } from '../pause.js';
import type { ReadOptions } from '../read.js';
import { ask, isTransient } from './request.js';
import { EventReader } from './server-sent-events.js';

/** Options of `watchOperation`. */
export interface WatchOptions extends ReadOptions {
  /** Polling interval where streams do not work; it can grow to twice this. Default 5,000. */
  readonly pollMs?: number | undefined;
  /** Called when the API answers again after `onRetry`. */
  readonly onAnswer?: (() => void) | undefined;
  /** No request is made while the page is hidden. Default: the browser's `document`. */
  readonly page?: Page | undefined;
}

const STATUS = 'bridge/status';
/** Polls before a stream is tried again. */
const LOOKS_BEFORE_STREAM = 8;
const LONGEST_PAUSE_MS = 60_000;
/** Pause before reconnecting, unless the server sets another. */
const RETRY_MS = { usual: 3_000, least: 1_000 };

/**
 * Follows an operation: yields its current state, then each change, and ends after COMPLETED, FAILED or EXPIRED. It can
 * start before the bridge knows the operation. It reads server-sent events, and polls where these do not work. While
 * the page is hidden it makes no requests. To stop, leave the loop or abort.
 *
 * @throws InvalidInputError; ApiError of an invalid request; AnswerError; the reason of the signal. Temporary failures
 *   are retried, and `onRetry` reports each.
 * @example
 * ```ts
 * for await (const { status } of watchOperation(bridge, { originTxHash })) console.log(status);
 * ```
 */
export async function* watchOperation(
  bridge: Bridge,
  identifier: OperationIdentifier,
  options: WatchOptions = {},
): AsyncGenerator<BridgeOperationResponse, void, undefined> {
  let shown = '';
  for await (const operation of new OperationWatch(bridge, identifier, options).readStates()) {
    // Streams omit these ids.
    const state = JSON.stringify({ ...operation, otherOperationIds: [] });
    if (state === shown) continue;
    shown = state;
    yield operation;
    if (isTerminal(operation.status)) return;
  }
}

/** Yields the states of an operation endlessly, possibly with repetitions. */
class OperationWatch {
  private readonly query;
  private readonly streamQuery;
  private readonly waiting;
  private readonly onRetry: ReadOptions['onRetry'];
  private readonly onAnswer: WatchOptions['onAnswer'];
  private readonly pollMs: number;
  private readonly reader = new EventReader();
  /** Id of the operation, once known. */
  private id = '';
  private failures = 0;
  private waitMs = 0;

  constructor(
    private readonly bridge: Bridge,
    identifier: OperationIdentifier,
    { signal, onRetry, onAnswer, pollMs = 5_000, page = globalThis.document }: WatchOptions,
  ) {
    this.query = toQuery(identifier);
    const { originTxHash, depositId, withdrawId, intentId } = this.query;
    this.streamQuery = originTxHash === undefined ? { id: depositId ?? withdrawId ?? intentId } : { originTxHash };
    this.waiting = { signal, page };
    this.onRetry = onRetry;
    this.onAnswer = onAnswer;
    this.pollMs = pollMs;
  }

  async *readStates(): AsyncGenerator<BridgeOperationResponse, void, undefined> {
    yield* await this.look();
    for (;;) {
      yield* this.readStreams();
      for (let looks = 0; looks < LOOKS_BEFORE_STREAM; looks += 1) {
        await pause(this.waitMs, this.waiting);
        yield* await this.look();
      }
    }
  }

  /** Reads successive streams until one fails. */
  private async *readStreams(): AsyncGenerator<BridgeOperationResponse, void, undefined> {
    const { bridge, streamQuery, reader, waiting } = this;
    try {
      for (let pauseMs = 0; ; pauseMs = Math.max(RETRY_MS.least, reader.retryMs ?? RETRY_MS.usual)) {
        await pause(pauseMs, waiting);
        for await (const { name, data } of openEventStream(bridge, streamQuery, reader, waiting))
          yield name === 'operation' ? await this.readEvent(data) : await this.ask();
      }
    } catch {
      // The status shows whether more than the stream is broken.
      waiting.signal?.throwIfAborted();
    }
  }

  private async readEvent(data: string): Promise<BridgeOperationResponse> {
    const operation = JSON.parse(data) as BridgeOperationResponse;
    operationShape(operation, '');
    // A transaction can begin several operations, and a reorg can change their ids: the status finds the right one.
    return this.streamQuery.id === undefined && operation.id !== this.id ? this.ask() : operation;
  }

  private async ask(): Promise<BridgeOperationResponse> {
    const { query } = this;
    const asked = { signal: this.waiting.signal, query, attempts: 1 };
    const operation = await ask(this.bridge, STATUS, operationShape, asked);
    this.id = operation.id;
    return operation;
  }

  /** Reads the current status; empty while unknown. */
  private async look(): Promise<BridgeOperationResponse[]> {
    try {
      const operation = await this.ask();
      this.answered();
      return [operation];
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.code === 'OPERATION_NOT_FOUND';
      if (!isUnknown && !isTransient(error)) throw error;
      if (isUnknown) this.answered(error.retry.afterSeconds);
      else this.failed(error);
      return [];
    }
  }

  private answered(waitSeconds?: number): void {
    if (this.failures > 0) this.onAnswer?.();
    this.plan(0, waitSeconds);
  }

  private failed(error: ApiError | UnreachableError): void {
    this.plan(this.failures + 1, error.retry.afterSeconds);
    const { failures: attempt, waitMs } = this;
    this.onRetry?.({ request: STATUS, attempt, waitMs, error });
  }

  /** Chooses the pause until the next poll. */
  private plan(failures: number, waitSeconds = 0): void {
    this.failures = failures;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.pollMs * 2 ** failures);
    this.waitMs = Math.max(1_000 * waitSeconds, pauseMs * (1 + Math.random()));
  }
}
