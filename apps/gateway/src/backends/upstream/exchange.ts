import type { Dispatcher } from 'undici';
import { NodeFailure } from './node-failure.js';
import { toNodeFailure } from './to-node-failure.js';

const UTF8 = new TextDecoder();

/**
 * One HTTP request and its answer, as undici tells of it while it is under way.
 *
 * undici's `request` would make a stream of the answer and listen to an AbortSignal; neither is needed for a text and a way to give up.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The body of an answer with status 200. Rejects with a NodeFailure for everything else. */
  readonly answer: Promise<string>;
  readonly #resolve: (text: string) => void;
  readonly #reject: (failure: NodeFailure) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #givenUp: NodeFailure | null = null;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Waits no longer; the request is taken back or its connection closed. */
  giveUp(failure: NodeFailure): void {
    this.#givenUp ??= failure;
    this.#reject(failure);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== null) controller.abort(this.#givenUp);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#status === 200) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#status === 200) this.#resolve(UTF8.decode(Buffer.concat(this.#chunks)));
    else this.#reject(new NodeFailure('broken', `answered with HTTP status ${this.#status}`));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(toNodeFailure(error));
  }
}
