import { describe, expect, it } from '@jest/globals';
import {
  address,
  amount,
  fields,
  flag,
  hash,
  list,
  nullable,
  optional,
  text,
  time,
  whole,
  type Shape,
} from './shape.js';

interface Page {
  next: string | null;
  sizes: number[];
  note?: string;
}
const shape = fields<{ page: Page }>({
  page: fields<Page>({ next: nullable(text), sizes: list(whole), note: optional(text) }),
});

describe('the shape of an answer', () => {
  it('allows further fields', () => {
    for (const page of [
      { next: null, sizes: [] },
      { next: 'a', sizes: [0, 1], note: 'b', more: 1 },
    ])
      expect(() => shape({ page, more: 1 }, '')).not.toThrow();
  });

  it.each<[unknown, string]>([
    [null, 'answer is not an object'],
    ['text', 'answer is not an object'],
    [{}, 'page is missing'],
    [{ page: [] }, 'page.next is missing'],
    [{ page: { next: 1, sizes: [] } }, 'page.next is not text'],
    [{ page: { next: null, sizes: {} } }, 'page.sizes is not a list'],
    [{ page: { next: null, sizes: [0, -1] } }, 'page.sizes.1 is not a whole number'],
    [{ page: { next: null, sizes: [0.5] } }, 'page.sizes.0 is not a whole number'],
    [{ page: { next: null, sizes: [], note: null } }, 'page.note is not text'],
  ])('names the place that is wrong in %j', (answer, problem) => {
    const [field] = problem.split(' ');
    expect(() => shape(answer, '')).toThrow(
      expect.objectContaining({ name: 'AnswerError', field, message: expect.stringContaining(problem) }),
    );
  });

  it.each<[string, Shape<never>, unknown[], unknown[]]>([
    ['flag', flag, [true, false], ['true', 0, null, undefined]],
    ['amount', amount, ['0', '12'], [12, '', '-1', '1.5', '1e3', '0x1', `1${'0'.repeat(78)}`]],
    ['hash', hash, [`0x${'a1'.repeat(32)}`], [`0x${'a1'.repeat(31)}`, 'a1'.repeat(33), null]],
    ['address', address, [`0x${'a1'.repeat(20)}`], [`0x${'a1'.repeat(32)}`, '', null]],
    ['time', time, ['2027-01-15T08:00:01.000Z'], ['soon', 1, null]],
  ])('knows a %s', (_, kind, right, wrong) => {
    for (const value of right) expect(() => kind(value, 'field')).not.toThrow();
    for (const value of wrong) expect(() => kind(value, 'field')).toThrow(/field is/);
  });

  it('follows the type of the answer, so that a changed field breaks the build', () => {
    interface Quote {
      fee: string | null;
      reason: 'PAUSED' | 'AWAY';
    }
    // @ts-expect-error The answer has no such field.
    fields<Quote>({ fees: nullable(text) });
    // @ts-expect-error It may be null.
    fields<Quote>({ fee: text });
    // @ts-expect-error It is text.
    fields<Quote>({ fee: nullable(whole) });
    // An enum that may grow is text.
    expect(() => fields<Quote>({ reason: text })({ reason: 'NEW' }, '')).not.toThrow();
  });
});
