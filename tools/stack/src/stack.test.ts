import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DELAY_REASONS, ERROR_CODES, OPERATION_STATUSES } from '@causeway/protocol';

const declarations = readFileSync(new URL('stack.ts', import.meta.url), 'utf8');

/** The members of an exported union of texts. */
function readUnion(name: string): string[] {
  const [, union = ''] = new RegExp(`export type ${name} =([^;]*);`).exec(declarations) ?? [];
  return [...union.matchAll(/'(\w+)'/g)].map(([, member = '']) => member);
}

describe('the public types', () => {
  it.each([
    ['OperationStatus', OPERATION_STATUSES],
    ['DelayReason', DELAY_REASONS],
    ['ErrorCode', Object.keys(ERROR_CODES)],
  ])('have every %s of the protocol', (name, members) => {
    expect(readUnion(name)).toEqual(members);
  });

  it('need no other package', () => {
    expect(declarations).not.toMatch(/^import/m);
  });
});
