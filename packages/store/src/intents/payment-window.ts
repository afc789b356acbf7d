/**
 * A transfer is sent after its intent was accepted. An older one is an orphan, which operators may have given back
 * already: an intent signed later must not be paid out of it. So much may the clock of the chain be behind ours.
 */
export const CLOCKS_DIFFER_MS = 60_000;

/** When an intent may be paid. */
export interface PaymentWindow {
  /** When the intent was accepted. */
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Whether a transfer of this chain time counts for an intent. */
export function isInWindow(minedAt: Date, { createdAt, expiresAt }: PaymentWindow): boolean {
  return minedAt.getTime() >= createdAt.getTime() - CLOCKS_DIFFER_MS && minedAt <= expiresAt;
}
