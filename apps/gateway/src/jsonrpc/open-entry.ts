import type { Hex } from 'viem';
import type { Asker } from './asker.js';
import type { CallContext } from '../methods/method.js';
import { answer } from './answer.js';
import type { Answers } from './answers.js';
import type { CallObserver } from './call-observer.js';
import { knownError, type ErrorLog } from './known-error.js';

/** What the entries of a message have in common. */
export interface MessageRun {
  readonly context: CallContext;
  readonly startedAt: number;
  readonly answers: Answers;
  readonly observer: CallObserver;
  readonly logger: ErrorLog;
  /** A monotonic clock, milliseconds. */
  readonly now: () => number;
}

/** An entry of a message on its way to its answer. What it comes to goes to its place among the answers; what comes later, after its time was over, is dropped. */
export class OpenEntry implements Asker {
  /**
   * @param id as JSON text, null for a notification.
   * @param label the method, as it is counted.
   * @param plain whether a result is hex, as that of every plain call is; else it is written as JSON.
   * @param runs whether it is carried out; else it is answered with an error at once and takes no time.
   */
  constructor(
    private readonly id: string | null,
    private readonly label: string,
    private readonly plain: boolean,
    private readonly runs: boolean,
    private readonly place: number,
    private readonly message: MessageRun,
  ) {}

  resolve(result: unknown): void {
    if (this.isAnswered()) return;
    let text: string;
    try {
      const id = this.id ?? 'null';
      text = this.plain ? answer.hex(id, result as Hex) : answer.result(id, result);
    } catch (error) {
      this.reject(error);
      return;
    }
    this.end(0, text);
  }

  reject(error: unknown): void {
    if (this.isAnswered()) return;
    const known = knownError(error, this.label, this.message.logger);
    this.end(known.code, answer.error(this.id ?? 'null', known));
  }

  private isAnswered(): boolean {
    return this.message.answers.has(this.place);
  }

  private end(code: number, text: string): void {
    const { answers, observer, startedAt, now } = this.message;
    observer.callEnded(this.label, code, this.runs ? now() - startedAt : null);
    answers.put(this.place, this.id, text);
  }
}
