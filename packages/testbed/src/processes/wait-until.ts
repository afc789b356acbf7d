import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 100;

/**
 * Asks again and again until the answer is true. A failure to answer counts as «not yet».
 *
 * @param what completes «waited in vain until …».
 * @throws Error when it is not true after `timeoutMs` (a minute by default).
 */
export async function waitUntil(what: string, ask: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      if (await ask()) return;
    } catch (error) {
      last = error;
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(`Waited ${timeoutMs / 1000} s in vain until ${what}`, { cause: last });
}
