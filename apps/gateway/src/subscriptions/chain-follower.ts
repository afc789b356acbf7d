import type { BackendListener } from '../backends/backend.js';

/** What follows the chain through the feed. It must not throw. */
export interface ChainFollower extends BackendListener {
  /** The next head does not continue what was told before: blocks between were left out, or taken back untold. Called before its onHead. */
  onGap(): void;
}
