/** What is measured of the calls. */
export interface CallObserver {
  /**
   * One call has ended.
   *
   * @param method a method that is offered, or `other`: names that callers make up never become labels.
   * @param code 0 for a result, else the code of the error.
   * @param durationMs from its start to its answer; null for what never ran.
   */
  callEnded(method: string, code: number, durationMs: number | null): void;
  /** A batch of so many calls has come. */
  batchReceived(calls: number): void;
}
