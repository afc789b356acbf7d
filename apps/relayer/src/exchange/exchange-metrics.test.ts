import { describe, expect, it } from '@jest/globals';
import type { AttestVerdict } from '@causeway/protocol/attest';
import { anAddress } from '@causeway/test-kit';
import { findDissenters } from './exchange-metrics.js';

describe('findDissenters', () => {
  const [A, B, C] = [anAddress(), anAddress(), anAddress()];
  const VERDICTS: Readonly<Record<string, AttestVerdict>> = {
    s: { kind: 'SIGN' },
    n: { kind: 'NOT_YET', why: '' },
    r: { kind: 'REFUSE', reason: 'WRONG_ID', why: '' },
  };
  const find = (letters: string, newest: typeof A) =>
    findDissenters(new Map([A, B, C].map((one, index) => [one, VERDICTS[letters[index] ?? '']!])), newest);

  it('counts a refusal once: after an acceptance, or at the first acceptance after it', () => {
    expect(find('srn', B)).toEqual([B]);
    expect(find('srr', A)).toEqual([B, C]);
    expect(find('srs', C)).toEqual([]);
  });

  it('counts no dissent when all or none refuse', () => {
    expect(find('rrn', A)).toEqual([]);
    expect(find('sns', A)).toEqual([]);
  });
});
