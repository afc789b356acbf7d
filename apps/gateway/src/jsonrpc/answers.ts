import { answer } from './answer.js';
import { RpcError } from './errors.js';

/** The answers to the entries of one message, each in its place, gathered until none is missing. */
export class Answers {
  readonly #texts: (string | null | undefined)[] = [];
  readonly #limit: number;
  readonly #complete = Promise.withResolvers<readonly string[]>();
  #missing: number;
  #length = 0;

  /**
   * @param count how many entries the message has.
   * @param limit most characters of all answers together; an answer that goes beyond it is replaced by -32005.
   */
  constructor(count: number, limit: number) {
    this.#missing = count;
    this.#limit = limit;
  }

  /** The texts that are to be sent, in the order of the entries, once all are there. */
  get all(): Promise<readonly string[]> {
    return this.#complete.promise;
  }

  /** Whether the entry has its answer. */
  has(place: number): boolean {
    return this.#texts[place] !== undefined;
  }

  /**
   * Answers an entry; to be done once.
   *
   * @param id as JSON text; null for a notification, whose answer is not sent.
   */
  put(place: number, id: string | null, text: string): void {
    this.#texts[place] = id === null ? null : this.#fitting(id, text);
    this.#missing--;
    if (this.#missing === 0) this.#complete.resolve(this.#texts.filter((one) => typeof one === 'string'));
  }

  #fitting(id: string, text: string): string {
    if (this.#length + text.length > this.#limit) {
      const detail = 'the answers of this batch are too long; ask for less at once';
      return answer.error(id, new RpcError('RATE_LIMIT_EXCEEDED', detail));
    }
    this.#length += text.length;
    return text;
  }
}
