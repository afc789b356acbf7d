import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { auditQuerySchema } from '../access.js';
import { requestTermsSchema } from '../requests.js';
import { FIELDS, type Field } from './fields.js';
import {
  getAction,
  ACTIONS,
  toAuditAction,
  REQUEST_KINDS,
  getSubject,
  type RequestKind,
  type RequestTerms,
} from './table.js';

const UNITS = { id: '32 bytes', address: 'address', amount: 'atomic units' } as const;
const VALUES = { id: `0x${'1'.repeat(64)}`, address: `0x${'a'.repeat(40)}`, amount: '5' } as const;

/** Terms of a kind with some value in each field. */
function makeTerms(kind: RequestKind): RequestTerms {
  const values = ACTIONS[kind].fields.map((name) => {
    const { type, choices = [] }: Field = FIELDS[name];
    return [name, type === 'choice' ? choices[0] : VALUES[type]];
  });
  return { kind, ...Object.fromEntries(values) } as RequestTerms;
}

/** The row of the operators' reference. */
function toRow(kind: RequestKind): string[] {
  const { effect, role, command, signatures } = getAction({ kind });
  const fields = ACTIONS[kind].fields.map((name) => {
    const { type, choices = [] }: Field = FIELDS[name];
    return `\`${name}\` (${type === 'choice' ? choices.join(', ') : UNITS[type]})`;
  });
  const signers = role === 'admin' ? 'admins of `ADMIN_ALLOW_LIST`' : '`OPERATORS`';
  const without = command === null ? 'none' : `\`relayer ${command}\``;
  return [`\`${toAuditAction({ kind })}\``, effect, fields.join(', '), signatures.rule, signers, without];
}

describe.each(REQUEST_KINDS)('the action %s', (kind) => {
  const terms = makeTerms(kind);

  it('has terms that the API takes, and none with a field less or more', () => {
    expect(requestTermsSchema.parse(terms)).toEqual(terms);
    const { [ACTIONS[kind].fields[0] as keyof RequestTerms]: _, ...less } = terms;
    expect(requestTermsSchema.safeParse(less).success).toBe(false);
    expect(requestTermsSchema.safeParse({ ...terms, more: 1 }).success).toBe(false);
  });

  it('can be found in the audit log, by its name and its subject', () => {
    const subject = getSubject(terms) ?? undefined;
    expect(auditQuerySchema.safeParse({ action: toAuditAction(terms), subject }).success).toBe(true);
    expect(subject === undefined).toBe(ACTIONS[kind].about === 'halt');
  });
});

it('the operators’ reference has every action', () => {
  const page = readFileSync(new URL('../../../../../docs/operate/reference.md', import.meta.url), 'utf8');
  const section = /^## Requests$([^]*?)^## /m.exec(page)?.[1] ?? '';
  const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  );
  expect(rows).toEqual(REQUEST_KINDS.map(toRow));
});
