import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './load-job.ts';

/** Puts load on an HTTP endpoint from a process of its own. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor() {
    // It does not collect garbage because a job has ended: what is measured next would share the cores with that.
    const execArgv = ['--no-memory-reducer'];
    this.#child = fork(fileURLToPath(new URL('load-worker.ts', import.meta.url)), [], { execArgv });
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /**
   * One job at a time.
   *
   * @throws Error when anything was not answered as it should: the numbers would mean nothing.
   */
  async run(job: LoadJob): Promise<LoadResult> {
    this.#child.send(job);
    const [result] = (await once(this.#child, 'message')) as [LoadResult];
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered} requests to ${job.url} failed`);
    return result;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
