/** One call on its way to a node. */
export interface WireCall {
  /** Method and params as JSON: everything of the call but its id. */
  readonly text: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}
