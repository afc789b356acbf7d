import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { environmentVariables } from './environment-variables.js';

describe('the environment variables', () => {
  it('are all explained to operators', () => {
    const page = readFileSync(new URL('../../../../docs/operators.md', import.meta.url), 'utf8');
    const missing = Object.keys(environmentVariables.shape).filter((name) => !page.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });
});
