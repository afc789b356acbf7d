import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@causeway/service/configuration';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createKey, hashKey, readKeyFile } from './api-key.js';

const folder = mkdtempSync(join(tmpdir(), 'causeway-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'keys.json');
const read = (content: unknown) => {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readKeyFile(path);
};
const sha256 = 'ab'.repeat(32);
const good = { name: 'relayer', sha256 };

describe('createKey', () => {
  it('makes a new 256-bit key each time, and the entry with its hash', () => {
    const { key, entry } = createKey('relayer-1');
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(entry).toEqual({ name: 'relayer-1', sha256: createHash('sha256').update(key).digest('hex') });
    expect(hashKey(key)).toBe(entry.sha256);
    expect(read([entry])).toEqual([entry]);
    expect(createKey('relayer-1').key).not.toBe(key);
  });

  it.each(['', 'Relayer', '1relayer', 'a b', 'a'.repeat(64), 'ä'])('refuses the name "%s"', (name) => {
    expect(() => createKey(name)).toThrow(/The name of a key must have 1 to 63 lower-case letters/);
  });
});

describe('hashKey', () => {
  it.each(['', 'password', 'a'.repeat(21), 'a'.repeat(201), `${'a'.repeat(30)} b`])(
    'does not accept "%s" as a key: it has less than 128 bits, or needs escaping in a URL',
    (text) => {
      expect(hashKey(text)).toBeNull();
    },
  );
});

describe('readKeyFile', () => {
  it('returns keys with their own limits, with the common ones, and without any', () => {
    const keys = [
      { ...good, perSecond: 500, perMinute: 20_000, connections: 50 },
      { name: 'partner', sha256: 'cd'.repeat(32) },
      { name: 'api', sha256: 'ef'.repeat(32), unlimited: true },
    ];
    expect(read(keys)).toEqual(keys);
    expect(read([])).toEqual([]);
  });

  it('accepts the file that the page of the gateway shows', () => {
    const page = readFileSync(new URL('../../../../docs/chain/gateway.md', import.meta.url), 'utf8');
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page.split('## API keys')[1] ?? '') ?? [];
    expect(read(json).map(({ name }) => name)).toEqual(['relayer', 'partner-one']);
  });

  it.each<[string, unknown, string]>([
    ['no JSON', 'keys', 'is not JSON'],
    ['an object', good, 'must be a list'],
    ['a key instead of its hash', [{ name: 'a', sha256: 'secret-key' }], '[0].sha256 must be the SHA-256 of a key'],
    ['a hash in capitals', [{ name: 'a', sha256: 'AB'.repeat(32) }], '[0].sha256 must be the SHA-256 of a key'],
    ['no name', [{ sha256 }], '[0].name must have 1 to 63'],
    ['a name that cannot be a label', [{ ...good, name: 'a"b' }], '[0].name must have 1 to 63'],
    ['no calls at all', [{ ...good, perSecond: 0 }], '[0].perSecond must be a whole number from 1'],
    ['a number as text', [{ ...good, perMinute: '9' }], '[0].perMinute must be a whole number from 1'],
    ['a half connection', [{ ...good, connections: 1.5 }], '[0].connections must be a whole number from 1'],
    ['a misspelt field', [good, { ...good, name: 'b', 'secret-key': 1 }], '[1] has an unknown field'],
    ['unlimited with a limit', [{ ...good, unlimited: true, perSecond: 1 }], '[0].unlimited cannot be combined'],
    ['unlimited set to false', [{ ...good, unlimited: false }], '[0].unlimited must be true or omitted'],
    ['two of one name', [good, { ...good, sha256: 'cd'.repeat(32) }], '[1].name must be unique'],
    ['two of one key', [good, { ...good, name: 'b' }], '[1].sha256 must be unique'],
    ['too many', Array.from({ length: 1_001 }, () => good), 'must have at most 1000 keys'],
  ])('refuses %s in one line that names the field but no value', (_, content, words) => {
    const problems = catchProblems(() => read(content));
    expect(problems).toEqual([expect.stringMatching(/^API_KEYS_FILE must be a list of API keys \(JSON\); [^\n]+$/)]);
    expect(problems[0]).toContain(`${path} `);
    expect(problems[0]).toContain(words);
    expect(problems[0]).not.toContain('secret-key');
  });

  it('refuses a missing file', () => {
    expect(catchProblems(() => readKeyFile(join(folder, 'none.json')))[0]).toContain('cannot be read (ENOENT)');
  });
});

function catchProblems(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  throw new Error('The file was accepted');
}
