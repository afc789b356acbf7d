import { describe, expect, it } from '@jest/globals';
import type { PendingMessage } from '@causeway/store';
import { composeMessage } from './message.js';
import { computePauseMs, pickNext } from './notify-stage.js';

const BEGAN = new Date('2026-11-28T04:00:00Z');
const halt: PendingMessage = {
  notificationId: 7n,
  kind: 'begun',
  code: 'Halted',
  subject: 'deliveries',
  severity: 'critical',
  text: 'The deliveries are halted: a test',
  beganAt: BEGAN,
  endedAt: null,
  attempts: 0,
  nextAttemptAt: null,
};
const settings = { environment: 'testnet', docsUrl: 'https://wiki.example/docs' } as const;

describe('composeMessage', () => {
  it('names environment, severity and code, and links to the section of the runbook', () => {
    expect(composeMessage(settings, halt)).toMatchObject({
      title: '[causeway testnet] critical: Halted',
      footer: 'Since 2026-11-28T04:00:00.000Z. Runbook: https://wiki.example/docs/runbook/#halted',
      link: 'https://wiki.example/docs/runbook/#halted',
      text: halt.text,
    });
  });

  it('reports the end under the same key and another id', () => {
    const begun = composeMessage(settings, halt);
    const over = composeMessage(settings, { ...halt, kind: 'over', endedAt: new Date('2026-11-28T05:00:00Z') });
    expect(over.title).toBe('[causeway testnet] over: Halted');
    expect(over.footer).toContain('From 2026-11-28T04:00:00.000Z to 2026-11-28T05:00:00.000Z. ');
    expect(over.dedupKey).toBe(begun.dedupKey);
    expect(over.id).not.toBe(begun.id);
  });

  it('has another key for another subject or environment', () => {
    const keys = [halt, { ...halt, subject: '1' }].map((message) => composeMessage(settings, message).dedupKey);
    const elsewhere = composeMessage({ ...settings, environment: 'mainnet' }, halt).dedupKey;
    expect(new Set([...keys, elsewhere]).size).toBe(3);
  });
});

describe('pickNext', () => {
  const NOW = BEGAN.getTime();
  const failed = (attempts: number, inMs: number) => ({ ...halt, attempts, nextAttemptAt: new Date(NOW + inMs) });
  const fresh = { ...halt, notificationId: 8n };

  it.each([
    ['nothing when there is no message', [], null],
    ['nothing before the next attempt', [failed(1, 1)], null],
    ['the oldest', [halt, fresh], halt],
    ['one whose delay has ended', [failed(1, 1), failed(2, 0)], failed(2, 0)],
    ['a new one before a failed one', [failed(1, 0), fresh], fresh],
  ])('takes %s', (_, pending, next) => {
    expect(pickNext(pending, NOW)).toEqual(next);
  });
});

it('doubles the delay from 5 seconds to 15 minutes', () => {
  expect([0, 1, 2, 7, 8, 1_000].map(computePauseMs)).toEqual([5_000, 10_000, 20_000, 640_000, 900_000, 900_000]);
});
