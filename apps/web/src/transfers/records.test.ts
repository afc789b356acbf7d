import { describe, expect, it } from '@jest/globals';
import type { Step } from '@causeway/sdk';
import { TRANSFERS } from '../words/transfers.js';
import { decodeRecord, encodeRecord } from './record-link.js';
import { findOperation, listSteps } from './record-steps.js';

const hash = `0x${'a'.repeat(64)}` as const;
const sign = { step: 'sign', what: 'intent', domain: { name: '', version: '' }, nonce: hash, deadline: 0 } as const;
const payment = { step: 'send', what: 'payment' } as const;
const bind = { step: 'bind', state: 'planned' } as const;

describe('a link of a record', () => {
  it('keeps the text, also with other letters', () => {
    const fragment = encodeRecord('{"kind":"Ü→?"}');
    expect(fragment).toMatch(/^[\w-]+$/);
    expect(() => decodeRecord(fragment)).toThrow('version');
  });

  it.each(['', '%%%', 'aGVsbG8'])('refuses %j', (fragment) => {
    expect(() => decodeRecord(fragment)).toThrow('cannot be used');
  });
});

describe('the steps of a transfer', () => {
  const intent = (...steps: Step[]) => ({ kind: 'INTENT', steps }) as const;

  it('are sign, send and report for an intent', () => {
    const planned = { step: 'register', state: 'planned' } as const;
    const steps = listSteps(intent({ ...sign, state: 'done' }, planned, { ...payment, state: 'planned' }, bind));
    expect(steps.map(({ words, state }) => [words, state])).toEqual([
      [TRANSFERS.step.sign.intent, 'registering'],
      [TRANSFERS.step.send.payment, 'planned'],
      [TRANSFERS.step.bind, 'planned'],
    ]);
  });

  it('name the approval and the deposit with their transactions', () => {
    const approval: Step = { step: 'send', what: 'approval', state: 'done', hash };
    const transfer: Step = { step: 'send', what: 'transfer', state: 'asked' };
    expect(listSteps({ kind: 'DEPOSIT', steps: [approval, transfer] })).toEqual([
      { words: 'Approve', state: 'done', hash },
      { words: 'Deposit', state: 'asked', hash: null },
    ]);
    expect(findOperation({ kind: 'DEPOSIT', steps: [approval, transfer] })).toBeNull();
  });

  it('lead to the operation once it is mined', () => {
    const registered: Step = { step: 'register', state: 'done', intentId: hash };
    const paid: Step = { ...payment, state: 'done', hash };
    expect(findOperation(intent({ ...sign, state: 'done' }, registered, paid, bind))).toEqual({ intentId: hash });
    const sent: Step = { step: 'send', what: 'transfer', state: 'done', hash };
    expect(findOperation({ kind: 'BURN', steps: [sent] })).toEqual({ originTxHash: hash });
    expect(findOperation({ kind: 'BURN', steps: [{ ...sent, state: 'sent' }] })).toBeNull();
    expect(findOperation({ kind: 'CLAIM', steps: [sent] })).toBeNull();
  });
});
