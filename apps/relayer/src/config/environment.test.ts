import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeVariables } from './environment.js';

const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

describe('.env.example', () => {
  it('has every variable with its description; required ones are set, the others are commented out', () => {
    const [, ...entries] = example.trim().split('\n\n');
    expect(entries.map((entry) => entry.replace(/=.*$/, '='))).toEqual(
      describeVariables().map(({ name, description, isRequired }) =>
        [`# ${description}`, `${isRequired ? '' : '# '}${name}=`].join('\n'),
      ),
    );
  });

  it('shows the default values', () => {
    const variables = describeVariables().filter(({ isRequired }) => !isRequired);
    for (const { name, description, defaultValue } of variables) {
      const shown = new RegExp(`^# ${name}=(.*)$`, 'm').exec(example)?.[1];
      expect(shown).toBe(defaultValue ?? /Default of the profile: (\d+)/.exec(description)?.[1]);
    }
  });
});
