/** Is told what came of a call: one of the two, once. Neither throws. */
export interface Asker<Result = unknown> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}
