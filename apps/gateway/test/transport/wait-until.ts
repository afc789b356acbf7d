import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 10;
const PATIENCE_MS = 20_000;

/**
 * Asks again and again until something is so.
 *
 * @param what completes «Waited in vain until …».
 * @throws Error when it is not so within twenty seconds.
 */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    if (await isSo()) return;
    await sleep(PAUSE_MS);
  }
  throw new Error(`Waited in vain until ${what}`);
}
