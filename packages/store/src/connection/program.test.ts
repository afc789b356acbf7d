import { describe, expect, it } from '@jest/globals';
import { labelProgram, readLabel } from './program.js';

const MIGRATION = '20261201000001_example';

describe('labelProgram', () => {
  it.each([
    [{ service: 'relayer', version: '1.2.3', name: 'relayer-1' }, 'causeway-relayer/1.2.3 20261201000001 relayer-1'],
    [{ service: 'api', version: '1.2.3' }, 'causeway-api/1.2.3 20261201000001'],
    [undefined, 'causeway-command/- 20261201000001'],
  ])('labels %j as %s, which can be parsed', (program, text) => {
    expect(labelProgram(program, MIGRATION)).toBe(text);
    expect(readLabel(text)).toEqual({ service: 'command', version: '-', ...program, migration: '20261201000001' });
  });

  it('keeps within 63 printable ASCII bytes', () => {
    const label = labelProgram(
      { service: 'relayer', version: '1.2.3-beta.4+20261127.abcdef', name: 'ü'.repeat(63) },
      MIGRATION,
    );
    expect(label).toMatch(/^[\x20-\x7e]{63}$/);
    expect(readLabel(label)).toMatchObject({ service: 'relayer', migration: '20261201000001' });
  });

  it.each(['', 'psql', 'causeway', 'causeway-api/1.2.3', 'pg_dump'])('rejects %j', (text) => {
    expect(readLabel(text)).toBeNull();
  });
});
