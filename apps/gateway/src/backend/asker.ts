/** Is told what came of a call: one of the two, once. Neither throws. */
export interface Asker {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}
