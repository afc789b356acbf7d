import { jest } from '@jest/globals';

const now = Date.now;
let skippedMs = 0;
// Installed at import, because a cache keeps the clock function it was created with.
jest.spyOn(Date, 'now').mockImplementation(() => now() + skippedMs);

/** Moves this process's clock past the 5 seconds for which the API caches contract values. */
export function skipCache(): void {
  skippedMs += 6_000;
}
