import { describe, expect, it } from '@jest/globals';
import { messageOf, stateChanges, textOf } from './decided-state.js';

describe('the state of a request', () => {
  it('names what changed, came and went', () => {
    const before = { status: 'REQUESTED', amount: '5', decisions: ['a'], gone: true };
    const after = { status: 'PENDING', amount: '5', decisions: ['a', 'b'], txHash: '0x1' };
    expect(stateChanges(before, after)).toEqual([
      { name: 'status', before: 'REQUESTED', after: 'PENDING' },
      { name: 'decisions', before: '["a"]', after: '["a","b"]' },
      { name: 'txHash', before: 'none', after: '0x1' },
      { name: 'gone', before: 'yes', after: 'none' },
    ]);
  });

  it.each([
    [null, 'none'],
    ['', 'empty'],
    [false, 'no'],
    [0, '0'],
    [{ a: 1 }, '{"a":1}'],
  ])('shows %j as %s', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it('shows the message of typed data, and nothing where there is none', () => {
    expect(messageOf({ message: { kind: 'CANCEL' } })).toEqual({ kind: 'CANCEL' });
    expect(messageOf({ message: 'text' })).toEqual({});
  });
});
