/** Is told what a node said to a call: one of the two, once. Neither throws. */
export interface Asker {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One call on its way to a node. */
export interface WireCall extends Asker {
  /** Method and params as JSON: everything of the call but its id. */
  readonly text: string;
}
