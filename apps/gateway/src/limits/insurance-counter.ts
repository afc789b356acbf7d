import { RateLimiterMemory, type IRateLimiterOptions, type RateLimiterRes } from 'rate-limiter-flexible';

/** Counts in this process what Redis could not count, and tells of it: that Redis answers with errors shows nowhere else. */
export class InsuranceCounter extends RateLimiterMemory {
  readonly #onAlone: () => void;

  constructor(options: IRateLimiterOptions, onAlone: () => void) {
    super(options);
    this.#onAlone = onAlone;
  }

  override consume(...args: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#onAlone();
    return super.consume(...args);
  }
}
