/** Is told what came of a call: one of the two, once. Neither throws. */
export interface Asker<Result = unknown> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}
