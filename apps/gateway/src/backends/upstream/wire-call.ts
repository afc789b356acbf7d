import type { Asker } from '../asker.js';

/** One call on its way to a node. */
export interface WireCall extends Asker {
  /** Method and params as JSON: everything of the call but its id. */
  readonly text: string;
}
