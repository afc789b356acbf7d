/** One call on its way to a node. */
export interface WireCall {
  readonly method: string;
  /** The params as JSON. */
  readonly params: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}
