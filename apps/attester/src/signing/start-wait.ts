/**
 * The wait after a start. A record that was lost or restored may lack signatures of an earlier process; after this wait
 * none of them is valid any more.
 */
export class StartWait {
  private readonly openAtSeconds: number;

  /** @param startedAtSeconds Unix seconds. */
  constructor(
    startedAtSeconds: number,
    validitySeconds: number,
    /** In `local` a chain may make no block while nothing happens, so its time does not count there. */
    private readonly isLocal: boolean,
  ) {
    // A signature is valid in all blocks of the second in which it ends.
    this.openAtSeconds = startedAtSeconds + validitySeconds + 1;
  }

  /**
   * Why nothing is signed yet; null when the wait is over. It counts in the time of the chains, too: signatures stay
   * valid while that stands still, and what they paid is seen in a final block only.
   *
   * @param monotonicSeconds Unix seconds by a clock that is never set back.
   * @param chainSeconds time of the newest block that is final, on the chain that is behind; if it counts.
   */
  findReason(monotonicSeconds: number, chainSeconds?: bigint): string | null {
    const isChain = chainSeconds !== undefined && !this.isLocal;
    const now = isChain ? Math.min(monotonicSeconds, Number(chainSeconds)) : monotonicSeconds;
    const left = Math.ceil(this.openAtSeconds - now);
    return left <= 0 ? null : `The attester has started: it signs in ${left} s.`;
  }
}
