import type { ExemptAddresses } from '../limits/exempt-addresses.js';

/** Counts what clients have asked for and do not read: it fills the gateway's memory, however few calls it took. */
export class UnreadAnswers {
  readonly #held = new Map<string, number>();

  /** @param most characters that the answers to one client may come to before it is too much. */
  constructor(
    private readonly most: number,
    private readonly exempt: ExemptAddresses,
  ) {}

  /** Whether a client, whose address is `ip`, has to read first. */
  isTooMuch(ip: string): boolean {
    return (this.#held.get(ip) ?? 0) > this.most && !this.exempt.has(ip);
  }

  /** Counts an answer that is on its way. @returns what counts it no more; to be called once. */
  hold(ip: string, { length }: string): () => void {
    this.#held.set(ip, (this.#held.get(ip) ?? 0) + length);
    return () => {
      const left = (this.#held.get(ip) ?? 0) - length;
      if (left > 0) this.#held.set(ip, left);
      else this.#held.delete(ip);
    };
  }
}
