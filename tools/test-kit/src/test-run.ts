import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** True in `test:long`: tests then use their full number of rounds instead of a short sample. */
export const isLong = process.env['LONG_TESTS'] === '1';

const SEEDS = 2 ** 31;

/**
 * Returns the seed of a randomized test: the environment variable TEST_SEED, otherwise a new one.
 *
 * @throws Error when TEST_SEED is not a whole number from 0 to 2^31 - 1.
 */
export function seed(): number {
  const given = process.env['TEST_SEED'];
  if (given === undefined || given === '') return randomInt(SEEDS);
  const value = Number(given);
  if (Number.isInteger(value) && value >= 0 && value < SEEDS) return value;
  throw new Error(`TEST_SEED is "${given}", but must be a whole number from 0 to ${SEEDS - 1}`);
}

/** Timeout and interval of `waitUntil`. */
interface WaitOptions {
  /** Milliseconds. Default: one minute. */
  readonly timeoutMs?: number;
  /** Milliseconds between checks. Default: 100. */
  readonly intervalMs?: number;
}

const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 100;

/**
 * Repeats a check until it returns a truthy value, and returns that value. A throwing check counts as not yet true.
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
