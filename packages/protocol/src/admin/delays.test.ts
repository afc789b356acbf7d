import { describe, expect, it } from '@jest/globals';
import { describeRetry } from './delays.js';

describe('a retry', () => {
  it.each(['FLOAT_SHORT', 'PAUSED', 'BACKING_SHORT'] as const)(
    'of %s does not end its cause, and says so',
    (reason) => {
      expect(describeRetry(reason)).toContain(`It waits as ${reason}: it is delivered only once that cause is gone`);
    },
  );

  it.each([null, 'NODE_UNAVAILABLE', 'DESTINATION_REVERTED'] as const)('of %s may deliver it', (reason) => {
    expect(describeRetry(reason)).toBe('The pause before the next attempt ends, and the relayer tries it now.');
  });
});
