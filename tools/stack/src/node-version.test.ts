import { describe, expect, it } from '@jest/globals';
import { nodeVersionProblem } from './node-version.js';

describe('the version of Node.js', () => {
  it.each(['22.19.0', '22.23.3', '23.0.0', '24.21.0'])('%s is new enough', (version) => {
    expect(nodeVersionProblem(version)).toBeNull();
  });

  it.each(['20.20.2', '22.18.0', '18.0.0'])('%s is refused, naming the required version', (version) => {
    expect(nodeVersionProblem(version)).toContain(`needs Node.js 22.19 or newer, and this is ${version}`);
  });
});
