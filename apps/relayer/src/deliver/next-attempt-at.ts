const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** When a delayed delivery is tried again: the pause doubles with every attempt up to five minutes. There is no last one. */
export function nextAttemptAt(nowMs: number, attempts: number): Date {
  return new Date(nowMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10)));
}
