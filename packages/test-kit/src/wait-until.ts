import { setTimeout as sleep } from 'node:timers/promises';

/** How long `waitUntil` waits in all, and between two checks. */
interface WaitOptions {
  /** Milliseconds; a minute unless given. */
  readonly timeoutMs?: number;
  /** Milliseconds; 50 unless given. */
  readonly intervalMs?: number;
}

const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 50;

/**
 * Repeats a check until it returns something truthy, and returns that. A check that throws counts as «not yet».
 *
 * @param condition completes the error message "Timed out after 60 s: waited until ...".
 * @throws Error at the timeout, with the last error of the check as its cause.
 */
export async function waitUntil<T>(
  condition: string,
  check: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS, intervalMs = INTERVAL_MS }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const result = await check();
      if (result) return result;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(intervalMs);
  } while (performance.now() < deadline);
  throw new Error(`Timed out after ${timeoutMs / 1_000} s: waited until ${condition}`, { cause });
}
