import { describe, expect, it } from '@jest/globals';
import { nodeVersionProblem } from './node-version.js';

describe('nodeVersionProblem', () => {
  it.each(['24.0.0', 'v24.21.0', '25.1.0', '100.0.0'])('accepts Node.js %s', (version) => {
    expect(nodeVersionProblem(version)).toBeNull();
  });

  it.each(['18.20.8', 'v20.19.0', '22.12.0', '23.11.0', '2.4.0', ''])('refuses Node.js %s in one line', (version) => {
    const problem = nodeVersionProblem(version);
    expect(problem).toContain('Node.js 24 or newer is required');
    expect(problem).toContain(version);
    expect(problem).not.toContain('\n');
  });
});
