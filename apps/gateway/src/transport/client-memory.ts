import type { ExemptAddresses } from '../limits/exempt-addresses.js';

/** Counts what clients make the gateway keep: answers they do not read, and requests they do not finish. However few calls it takes, it fills memory. */
export class ClientMemory {
  readonly #held = new Map<string, number>();

  /** @param most bytes that may be kept for one client before it is too much. */
  constructor(
    private readonly most: number,
    private readonly exempt: ExemptAddresses,
  ) {}

  /** Whether a client, whose address is `ip`, has to read or finish something first. */
  isTooMuch(ip: string): boolean {
    return (this.#held.get(ip) ?? 0) > this.most && !this.exempt.has(ip);
  }

  /** Counts so many bytes as kept. @returns what counts them no more; to be called once. */
  hold(ip: string, bytes: number): () => void {
    this.#held.set(ip, (this.#held.get(ip) ?? 0) + bytes);
    return () => {
      const left = (this.#held.get(ip) ?? 0) - bytes;
      if (left > 0) this.#held.set(ip, left);
      else this.#held.delete(ip);
    };
  }
}
