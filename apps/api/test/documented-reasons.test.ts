import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VERDICT_CODES } from '@causeway/protocol';

const page = readFileSync(new URL('../../../docs/integrate/rest.md', import.meta.url), 'utf8');

describe('docs/integrate/rest.md', () => {
  it('lists every verdict', () => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(rows).toEqual(expect.arrayContaining([...VERDICT_CODES]));
  });
});
