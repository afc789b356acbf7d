import { randomInt } from 'node:crypto';

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
  throw new Error(`TEST_SEED must be a whole number from 0 to ${SEEDS - 1}, but it is "${given}"`);
}
