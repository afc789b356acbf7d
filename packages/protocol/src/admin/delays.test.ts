import { describe, expect, it } from '@jest/globals';
import { DELAY_REASONS } from '../operations.js';
import { describeRetry } from './delays.js';

const ENDED = 'The pause before the next attempt ends, and the relayer tries it now.';

describe('a retry', () => {
  it.each(DELAY_REASONS)('of %s does not end its cause, and says so', (reason) => {
    const holds = `It waits as ${reason}: it is delivered only once that cause is gone, and else it waits again.`;
    expect(describeRetry(reason)).toBe(`${ENDED} ${holds}`);
  });

  it('of an operation that waits for nothing else names no cause', () => {
    expect(describeRetry(null)).toBe(ENDED);
  });
});
