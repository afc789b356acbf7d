import { describe, expect, it } from '@jest/globals';
import type { AuditHead, AuditVerdict } from '@causeway/store';
import { verifyAudit } from './audit.js';

const HASH = `0x${'ab'.repeat(32)}` as const;
const NONE_REMOVED = { sequence: 0, hash: `0x${'0'.repeat(64)}` } as const;

/** A store whose verification returns this verdict, and records the given head. */
function finding(verdict: AuditVerdict) {
  const given: (AuditHead | null)[] = [];
  const lines: string[] = [];
  const verify = async (known: AuditHead | null) => {
    given.push(known);
    return verdict;
  };
  const print = (line: string) => void lines.push(line);
  return { given, lines, context: { store: { adminAudit: { verify } }, print } };
}

describe('verifyAudit', () => {
  it('prints the head of an unbroken log', async () => {
    const { given, lines, context } = finding({
      head: { sequence: 3, hash: HASH },
      broken: null,
      removed: NONE_REMOVED,
    });
    expect(await verifyAudit(context, undefined)).toBe(true);
    expect([given, lines]).toEqual([[null], [`3 rows are unbroken. Head: 3:${HASH}`]]);
  });

  it('prints what retention removed', async () => {
    const removed = { sequence: 500, hash: HASH } as const;
    const { lines, context } = finding({ head: { sequence: 502, hash: HASH }, broken: null, removed });
    expect(await verifyAudit(context, undefined)).toBe(true);
    expect(lines).toEqual([`Retention removed the rows up to 500:${HASH}.`, `2 rows are unbroken. Head: 502:${HASH}`]);
  });

  it('prints the first broken row', async () => {
    const broken = { sequence: 2, problem: 'a column was changed' };
    const { given, lines, context } = finding({ head: { sequence: 1, hash: HASH }, broken, removed: NONE_REMOVED });
    expect(await verifyAudit(context, `7:${HASH.toUpperCase().replace('X', 'x')}`)).toBe(false);
    expect(given).toEqual([{ sequence: 7, hash: HASH }]);
    expect(lines.slice(0, 2)).toEqual([`1 row is unbroken. Head: 1:${HASH}`, 'Row 2 is broken: a column was changed.']);
  });

  it.each(['', '7', '0:0x12', `x:${HASH}`, `7:${HASH}:1`, `-7:${HASH}`])('refuses the head "%s"', async (head) => {
    const { context } = finding({ head: { sequence: 1, hash: HASH }, broken: null, removed: NONE_REMOVED });
    await expect(verifyAudit(context, head)).rejects.toThrow('--head must be');
  });
});
