import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A load on one HTTP endpoint. */
export interface LoadJob {
  readonly url: string;
  /** Bodies to post, in turn. */
  readonly bodies: readonly string[];
  /** Concurrent requests. */
  readonly connections: number;
  readonly durationMs: number;
  /** Requests per second, spread evenly; null for as many as possible. */
  readonly rate: number | null;
}

/** The outcome. Latencies in milliseconds; at a given rate they count from the moment a request was due. */
export interface LoadResult {
  readonly answered: number;
  /** Responses with a status other than 200 or with an error, and missing responses. */
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Puts load on an HTTP endpoint from its own process. */
export class LoadGenerator {
  private readonly child: ChildProcess;

  constructor() {
    // Prevents garbage collection at the end of a job, which would share the cores with the next measurement.
    const execArgv = ['--no-memory-reducer'];
    this.child = fork(fileURLToPath(new URL('load-worker.ts', import.meta.url)), [], { execArgv });
  }

  /**
   * Runs one job at a time.
   *
   * @throws Error if any request failed: the figures would be meaningless.
   */
  async run(job: LoadJob): Promise<LoadResult> {
    this.child.send(job);
    const [result] = (await once(this.child, 'message')) as [LoadResult];
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered} requests to ${job.url} failed`);
    return result;
  }

  stop(): void {
    this.child.disconnect();
  }
}
