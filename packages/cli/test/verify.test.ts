import { describe, expect, it } from '@jest/globals';
import { EXIT_CODES as VERIFIER_CODES } from '@causeway/verifier/command';
import { EXIT_CODES } from '../src/output/exit-codes.js';
import { run } from './fake-streams.js';

describe('causeway verify', () => {
  it('has the exit codes of causeway-verify', () => {
    const ours: Readonly<Record<string, { readonly code: number }>> = EXIT_CODES;
    for (const [name, { code }] of Object.entries(VERIFIER_CODES))
      expect({ name, code: ours[name === 'right' ? 'done' : name]?.code }).toEqual({ name, code });
  });

  it('passes its words on to causeway-verify', async () => {
    expect(await run(['verify', '--help'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('Usage: causeway-verify'),
    });
    expect(await run(['verify', '--nonsense', '--json'])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^{"error":"UsageError",.*"field":"nonsense"/),
    });
  });

  it('must be the first word, so that no option is read twice', async () => {
    const ended = await run(['--json', 'verify', '0x12']);
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.errors)).toMatchObject({ error: 'UsageError', field: 'verify' });
  });
});
