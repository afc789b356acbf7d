/** Minimum interval between reports about one node. */
const REPORT_MS = 60_000;
const REMEDY = 'give it a key in the address of the node (https://name:key@host), or raise the limit';
/** Maximum length of a shown answer, whose text comes from the node. */
const SHOWN_CHARACTERS = 160;

/** Report about a rate-limiting node. */
export const THROTTLES = 'it limits the requests of this process';

/** Counts the requests that a node rate-limits and reports them at intervals. */
export class Throttling {
  private requests = 0;
  private reportedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now milliseconds since any start.
   * @param report receives a sentence for operators.
   */
  constructor(
    private readonly now: () => number,
    private readonly report: (sentence: string) => void,
  ) {}

  get count(): number {
    return this.requests;
  }

  /** @param reason begins with `THROTTLES`. */
  note(reason: string): void {
    this.requests += 1;
    const now = this.now();
    if (now - this.reportedAt < REPORT_MS) return;
    this.reportedAt = now;
    this.report(`${reason.slice(0, SHOWN_CHARACTERS)}: ${REMEDY}`);
  }
}
