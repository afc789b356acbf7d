import { RecordError } from '../errors.js';

const running = new Set<string>();

/**
 * Runs a transfer under an exclusive lock: within this program, and across tabs and workers of the origin where the
 * platform has Web Locks.
 *
 * @throws RecordError if the transfer is already running.
 */
export async function withLock<T>(id: string, run: () => Promise<T>): Promise<T> {
  if (running.has(id)) throw inUse();
  running.add(id);
  try {
    const { locks } = (globalThis.navigator ?? {}) as Partial<Navigator>;
    if (locks === undefined) return await run();
    const outcome = await locks.request(`causeway:${id}`, { ifAvailable: true }, async (lock) => {
      if (lock === null) throw inUse();
      return run();
    });
    return outcome;
  } finally {
    running.delete(id);
  }
}

function inUse(): RecordError {
  return new RecordError('id', 'is in use: this transfer runs in another tab or call', 'Wait until it has ended.');
}
