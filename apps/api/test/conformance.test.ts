import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

// Checks docs/integrate/conformance.md: a line for each sentence of the specification, with the test that covers it.

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

interface Row {
  readonly sentence: string;
  readonly file: string;
  readonly title: string;
}
const rows: Row[] = read('docs/integrate/conformance.md')
  .split('\n')
  .filter((line) => line.startsWith('- '))
  .map((line) => {
    const [, sentence = '', file = '', title = ''] = /^- (.*): `([^`]+)`: (.*)$/.exec(line) ?? [];
    return { sentence: sentence === '' ? line : sentence, file, title };
  });

/** Matches the statement that begins a test or a group, up to its title. */
const STATEMENT = /^\s*(x?(?:it|test|describe)\b[.\w]*)/gm;
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns why a row is not covered, or null. A title ending with `…` must be the prefix of exactly one title in the
 * file.
 */
function findFlaw(text: string, { file, title }: Omit<Row, 'sentence'>): string | null {
  if (file.endsWith('.sol')) return text.includes(`function ${title}(`) ? null : 'has no such test';
  const [beginning, end] = title.endsWith('…') ? [title.slice(0, -1), ''] : [title, "'"];
  const places = [...text.matchAll(new RegExp(`\\(\\s*'${escaped(beginning)}${end}`, 'g'))];
  const statements = places.map(({ index }) => [...text.slice(0, index).matchAll(STATEMENT)].at(-1)?.[1] ?? '');
  const tests = statements.filter((statement) => /^(?:it|test)\b/.test(statement));
  if (tests.length === 0) return 'has no such test';
  if (end === '' && tests.length > 1) return 'has several such tests';
  // Strict: the file must not skip anything, so that no group around the test is skipped.
  return /\b(?:it|test|describe)\.(?:skip|todo|failing|only)\b|\bx(?:it|describe)\b/.test(text) ? 'skips tests' : null;
}

describe('docs/integrate/conformance.md', () => {
  it('has a line for each sentence', () => {
    expect(rows.length).toBeGreaterThan(150);
    expect(new Set(rows.map(({ sentence, title }) => sentence + title)).size).toBe(rows.length);
  });

  it.each(rows)('$sentence', (row) => {
    expect(findFlaw(read(row.file), row)).toBeNull();
  });
});

describe('a row is not covered', () => {
  const row = { file: 'x.test.ts', title: 'pays %s' };
  it.each([
    ["it('pays', () => {});", 'has no such test'],
    ["expect('pays %s');", 'has no such test'],
    ["it.each([1])('pays %s', () => {});\ndescribe.skip('more', () => {});", 'skips tests'],
    ["xit('pays %s', () => {});", 'has no such test'],
    ["it.todo('pays %s');", 'skips tests'],
    ["it.each([\n  ['a', 1],\n])('pays %s', () => {});", null],
  ])('by %j: %s', (text, flaw) => {
    expect(findFlaw(text, row)).toBe(flaw);
  });

  it.each([
    ["it('pays Alice', () => {});", null],
    ["it('does not pay', () => {});", 'has no such test'],
    ["describe('pays', () => {});", 'has no such test'],
    ["it('pays Alice', () => {});\nit('pays Bob', () => {});", 'has several such tests'],
  ])('by %j when its title is shortened: %s', (text, flaw) => {
    expect(findFlaw(text, { file: 'x.test.ts', title: 'pays…' })).toBe(flaw);
  });
});
