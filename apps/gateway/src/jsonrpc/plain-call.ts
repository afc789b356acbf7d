import type { PlainWay } from '../methods/method.js';

/** A call that was checked as text, without being read. */
export class PlainCall {
  /**
   * @param id as JSON text, exactly as it was written.
   * @param method one on offer.
   * @param text `"method":…,"params":[…]`, as it is passed on.
   */
  constructor(
    readonly id: string,
    readonly method: string,
    readonly way: PlainWay,
    readonly text: string,
  ) {}
}
