import type { Fence } from '@causeway/store';

/** One stage of the pipeline: reads rows, does its part, writes rows. It never calls another stage. */
export interface Stage {
  readonly name: string;
  /** One run. It is repeated after a pause, so it need not finish everything. */
  run(fence: Fence): Promise<void>;
}
