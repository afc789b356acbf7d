import { isTerminal, type BridgeOperationResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import { ApiError, CausewayError } from '../errors.js';
import { openEventStream } from './event-stream.js';
import { operationShape, toQuery, type OperationIdentifier } from './operation.js';
import { pause, type Page } from '../pause.js';
import { askOnce, type ReadOptions } from './request.js';
import { EventReader } from './server-sent-events.js';

/** How an operation is watched. */
export interface WatchOptions extends ReadOptions {
  /** Where streams do not pass, the status is asked for after this, up to twice as long. 5,000 unless given. */
  readonly pollMs?: number | undefined;
  /** While it is hidden, nothing is asked. The `document` of a browser unless given. */
  readonly page?: Page | undefined;
}

/** Looks before a stream is tried again. */
const LOOKS_BEFORE_STREAM = 8;
const LONGEST_PAUSE_MS = 60_000;
/** Before a new connection, unless the server names another time. */
const RETRY_MS = { usual: 3_000, least: 1_000 };

/**
 * Follows an operation: yields it as it is now, then after each change, and ends after COMPLETED, FAILED or EXPIRED. It
 * may begin before the bridge knows the operation. It reads server-sent events, and polls where these do not pass.
 * While the page is hidden it waits, and asks one time when the user returns. To stop, leave the loop or abort.
 *
 * @throws InvalidInputError; ApiError of a request that is wrong; AnswerError; the reason of the signal. Failures that
 *   pass are waited for.
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
    // A stream leaves these ids out.
    const state = JSON.stringify({ ...operation, otherOperationIds: [] });
    if (state === shown) continue;
    shown = state;
    yield operation;
    if (isTerminal(operation.status)) return;
  }
}

/** The states of an operation, the same one possibly several times, without an end. */
class OperationWatch {
  private readonly query;
  private readonly streamQuery;
  private readonly waiting;
  private readonly pollMs: number;
  private readonly reader = new EventReader();
  /** Of the operation, once it is known. */
  private id = '';
  private failures = 0;
  private waitSeconds = 0;

  constructor(
    private readonly bridge: Bridge,
    identifier: OperationIdentifier,
    { signal, pollMs = 5_000, page = globalThis.document }: WatchOptions,
  ) {
    this.query = toQuery(identifier);
    const { originTxHash, depositId, withdrawId, intentId } = this.query;
    this.streamQuery = originTxHash === undefined ? { id: depositId ?? withdrawId ?? intentId } : { originTxHash };
    this.waiting = { signal, page };
    this.pollMs = pollMs;
  }

  async *readStates(): AsyncGenerator<BridgeOperationResponse, void, undefined> {
    yield* await this.look();
    for (;;) {
      yield* this.readStreams();
      for (let looks = 0; looks < LOOKS_BEFORE_STREAM; looks += 1) {
        const pauseMs = Math.min(LONGEST_PAUSE_MS, this.pollMs * 2 ** this.failures);
        await pause(Math.max(1_000 * this.waitSeconds, pauseMs * (1 + Math.random())), this.waiting);
        yield* await this.look();
      }
    }
  }

  /** Reads one stream after the other, until one does not pass. */
  private async *readStreams(): AsyncGenerator<BridgeOperationResponse, void, undefined> {
    const { bridge, streamQuery, reader, waiting } = this;
    try {
      for (let pauseMs = 0; ; pauseMs = Math.max(RETRY_MS.least, reader.retryMs ?? RETRY_MS.usual)) {
        await pause(pauseMs, waiting);
        for await (const { name, data } of openEventStream(bridge, streamQuery, reader, waiting))
          yield name === 'operation' ? await this.readEvent(data) : await this.ask();
      }
    } catch {
      // The status says whether more than the stream is broken.
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
    const operation = await askOnce(this.bridge, 'bridge/status', operationShape, { ...this.waiting, query });
    this.id = operation.id;
    return operation;
  }

  /** The status now, or nothing while it is not known. */
  private async look(): Promise<BridgeOperationResponse[]> {
    try {
      const operation = await this.ask();
      [this.failures, this.waitSeconds] = [0, 0];
      return [operation];
    } catch (error) {
      const isUnknown = error instanceof ApiError && error.code === 'OPERATION_NOT_FOUND';
      if (!isUnknown && !(error instanceof CausewayError && error.retry.helps)) throw error;
      this.failures = isUnknown ? 0 : this.failures + 1;
      this.waitSeconds = error.retry.afterSeconds ?? 0;
      return [];
    }
  }
}
