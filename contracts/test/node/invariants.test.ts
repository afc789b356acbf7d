import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

/** The items of docs/invariants.md: a sentence, then `file`: `test`, `test`; `file`: `test`. */
function readItems(page: string): { sentence: string; tests: { file: string; name: string }[] }[] {
  return [...page.matchAll(/^\d+\. (?<item>.*)$/gm)].map(({ groups }) => {
    const item = groups?.['item'] ?? '';
    const tests = [...item.matchAll(/`(?<file>[\w/]+(?:\.t)?\.sol)`: (?<names>`\w+`(?:, `\w+`)*)/g)].flatMap((match) =>
      [...(match.groups?.['names'] ?? '').matchAll(/\w+/g)].map(([name]) => ({
        file: match.groups?.['file'] ?? '',
        name,
      })),
    );
    return { sentence: item.slice(0, item.indexOf('`')).trim(), tests };
  });
}

/** The named tests that do not exist, and items that name no test. */
function missingIn(page: string): string[] {
  return readItems(page).flatMap(({ sentence, tests }) => {
    if (tests.length === 0) return [`${sentence} names no test`];
    return tests
      .filter(({ file, name }) => {
        const url = new URL(`../${file}`, import.meta.url);
        return !existsSync(url) || !new RegExp(`function ${name}\\(`).test(readFileSync(url, 'utf8'));
      })
      .map(({ file, name }) => `${file} has no ${name}`);
  });
}

describe('the page of invariants', () => {
  const page = read('../../../docs/invariants.md');

  it('names tests that exist', () => {
    expect(missingIn(page)).toEqual([]);
  });

  it('reads every item', () => {
    const items = readItems(page);
    expect(items.length).toBeGreaterThan(30);
    expect(items.flatMap(({ tests }) => tests).length).toBeGreaterThan(70);
  });

  it('reports missing tests', () => {
    const wrong = [
      '1. One. `unit/Roles.t.sol`: `test_NobodyHoldsTwoRoles`, `test_Nothing`; `unit/None.t.sol`: `test_None`',
      '2. Two.',
    ].join('\n');
    expect(missingIn(wrong)).toEqual([
      'unit/Roles.t.sol has no test_Nothing',
      'unit/None.t.sol has no test_None',
      'Two names no test',
    ]);
  });
});
