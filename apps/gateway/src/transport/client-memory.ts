import type { ExemptAddresses } from '../limits/exempt-addresses.js';

/** What is kept for one client, bytes. */
interface Held {
  bytes: number;
}

/** Clients that are remembered before those for whom nothing is kept are looked for. */
const FEW = 1_000;

/** Counts what clients make the gateway keep: answers they do not read, and requests they do not finish. However few calls it takes, it fills memory. */
export class ClientMemory {
  readonly #held = new Map<string, Held>();
  #enough = FEW;

  /** @param most bytes that may be kept for one client before it is too much. */
  constructor(
    private readonly most: number,
    private readonly exempt: ExemptAddresses,
  ) {}

  /** Clients that are remembered. */
  get size(): number {
    return this.#held.size;
  }

  /** Whether a client, whose address is `ip`, has to read or finish something first. */
  isTooMuch(ip: string): boolean {
    return (this.#held.get(ip)?.bytes ?? 0) > this.most && !this.exempt.has(ip);
  }

  /** Counts so many bytes as kept. @returns what counts them no more; to be called once. */
  hold(ip: string, bytes: number): () => void {
    const held = this.#held.get(ip) ?? this.#remember(ip);
    held.bytes += bytes;
    return () => {
      held.bytes -= bytes;
    };
  }

  /** A client is not forgotten when nothing is kept for it any more, since its next call is near, but when there are too many of those. */
  #remember(ip: string): Held {
    if (this.#held.size >= this.#enough) {
      for (const [client, { bytes }] of this.#held) if (bytes === 0) this.#held.delete(client);
      this.#enough = Math.max(FEW, 2 * this.#held.size);
    }
    const held = { bytes: 0 };
    this.#held.set(ip, held);
    return held;
  }
}
