import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { UNDELIVERABLE_REASONS, VERDICT_CODES } from '@causeway/protocol';

const page = readFileSync(new URL('../../../docs/integrate/rest.md', import.meta.url), 'utf8');

describe('docs/integrate/rest.md lists', () => {
  it.each([
    ['reason of an undeliverable amount', UNDELIVERABLE_REASONS],
    ['verdict', VERDICT_CODES],
  ])('every %s', (_, reasons) => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, reason]) => reason);
    expect(rows).toEqual(expect.arrayContaining([...reasons]));
  });
});
