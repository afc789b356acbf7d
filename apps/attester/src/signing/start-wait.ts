/**
 * The wait after a start. A lost or restored record can lack signatures of an earlier process; after this wait, all of
 * them have expired.
 */
export class StartWait {
  private readonly openAtSeconds: number;

  /** @param startedAtSeconds Unix seconds. */
  constructor(
    startedAtSeconds: number,
    validitySeconds: number,
    /** In `local` a chain can be idle without new blocks, so its time does not count there. */
    private readonly isLocal: boolean,
  ) {
    // A signature is still valid in every block of the second in which it ends.
    this.openAtSeconds = startedAtSeconds + validitySeconds + 1;
  }

  /**
   * Why nothing is signed yet; null when the wait is over. Chain time counts as well: signatures stay valid while it
   * stands still, and only final blocks show what they paid.
   *
   * @param monotonicSeconds Unix seconds by a monotonic clock.
   * @param chainSeconds time of the newest final block on the chain that is behind; left out to ignore chain time.
   */
  findReason(monotonicSeconds: number, chainSeconds?: bigint): string | null {
    const isChain = chainSeconds !== undefined && !this.isLocal;
    const now = isChain ? Math.min(monotonicSeconds, Number(chainSeconds)) : monotonicSeconds;
    const left = Math.ceil(this.openAtSeconds - now);
    return left <= 0 ? null : `The attester has started: it signs in ${left} s.`;
  }
}
