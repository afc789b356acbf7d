/** What the load generator is to do. */
export interface LoadJob {
  /** An HTTP endpoint. */
  readonly url: string;
  /** Bodies to post, taken in turn. */
  readonly bodies: readonly string[];
  /** How many are under way at the same time. */
  readonly connections: number;
  readonly durationMs: number;
  /** Requests a second, spread evenly; null for as many as there come. */
  readonly rate: number | null;
}

/** What came of it. Latencies in milliseconds; at a given rate they count from the moment a request was due, sent or not. */
export interface LoadResult {
  readonly answered: number;
  /** Answers with another status than 200, with an error, or none at all. */
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}
