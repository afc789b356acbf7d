import { jest } from '@jest/globals';

const now = Date.now;
let skippedMs = 0;
// From the start: a cache keeps the function that it is made with.
jest.spyOn(Date, 'now').mockImplementation(() => now() + skippedMs);

/** Sets the clock of this process past the 5 seconds for which the API caches a contract's values. */
export function skipCache(): void {
  skippedMs += 6_000;
}
