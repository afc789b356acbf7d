const PAUSE_MS = 60_000;

/** Says when a halt is to be told again: at once, and then every minute, for whoever opens the log later. */
export class HaltNotice {
  private readonly toldAtMs = new Map<number, number>();

  /** Whether the halt of a chain is to be told now; then it is not due again for a minute. */
  isDue(chainId: number, nowMs: number): boolean {
    if (nowMs - (this.toldAtMs.get(chainId) ?? -Infinity) < PAUSE_MS) return false;
    this.toldAtMs.set(chainId, nowMs);
    return true;
  }
}
