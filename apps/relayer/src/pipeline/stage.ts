import type { Fence } from '@causeway/store';

/** Injection token of the stages, in pipeline order. */
export const STAGES = Symbol('Stages');

/**
 * One stage of the pipeline. A stage reads rows, does its part and writes rows. It never calls another stage, so that a
 * crash between two stages loses nothing.
 */
export interface Stage {
  /** Name in the log. */
  readonly name: string;
  /**
   * Runs the stage once. The scheduler repeats it after a pause, so it need not finish everything.
   *
   * @param fence token of the lease; every write of the stage carries it.
   */
  run(fence: Fence): Promise<void>;
}
