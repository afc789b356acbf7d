import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LastKnownValue } from './last-known-value.js';

/** A source and a clock under the test's control. */
function scripted() {
  let nowMs = 0;
  const readings: PromiseWithResolvers<string>[] = [];
  const value = new LastKnownValue(
    async () => {
      const reading = Promise.withResolvers<string>();
      readings.push(reading);
      return reading.promise;
    },
    { freshMs: 5_000, patienceMs: 5, oldestMs: 60_000 },
    () => nowMs,
  );
  const first = async (text: string) => {
    const reading = value.latest();
    readings[0]?.resolve(text);
    await reading;
  };
  return { value, readings, first, pass: (ms: number) => (nowMs += ms) };
}

describe('LastKnownValue', () => {
  it('is read once for all callers, and not again while fresh', async () => {
    const { value, readings, pass } = scripted();
    const callers = [value.latest(), value.fresh(), value.latest()];
    readings[0]?.resolve('a');
    expect(await Promise.all(callers)).toEqual([{ value: 'a', ageMs: 0 }, 'a', { value: 'a', ageMs: 0 }]);
    pass(5_000);
    expect(await value.latest()).toEqual({ value: 'a', ageMs: 5_000 });
    expect(await value.fresh()).toBe('a');
    expect(readings).toHaveLength(1);
  });

  it.each<[string, (reading: PromiseWithResolvers<string> | undefined) => void]>([
    ['silent', () => undefined],
    ['failing', (reading) => reading?.reject(new Error('down'))],
  ])('is shown with its age while its source is %s, but not as fresh', async (_, fail) => {
    const { value, readings, first, pass } = scripted();
    await first('a');
    pass(6_000);
    const shown = value.latest();
    fail(readings[1]);
    expect(await shown).toEqual({ value: 'a', ageMs: 6_000 });
    const decided = value.fresh();
    fail(readings[2]);
    await expect(decided).rejects.toThrow(/down|no answer in 5 ms/);
  });

  it('makes callers wait only once until a reading succeeds', async () => {
    const { value, readings, first, pass } = scripted();
    await first('a');
    pass(6_000);
    await value.latest();
    // A waiting caller would be answered by a timer, after the immediate.
    expect(await Promise.race([value.latest(), setImmediate('waits')])).toEqual({ value: 'a', ageMs: 6_000 });
    pass(4_000);
    expect(readings).toHaveLength(2);
    readings[1]?.resolve('b');
    await setImmediate();
    // The reading began when the age was 6 s.
    expect(await value.latest()).toEqual({ value: 'b', ageMs: 4_000 });
  });

  it('is not shown when it was never read or is too old', async () => {
    const { value, readings, pass } = scripted();
    const never = value.latest();
    readings[0]?.reject(new Error('down'));
    await expect(never).rejects.toThrow('down');
    const retry = value.latest();
    readings[1]?.resolve('a');
    expect(await retry).toEqual({ value: 'a', ageMs: 0 });
    pass(60_001);
    await expect(value.latest()).rejects.toThrow('no answer in 5 ms');
  });
});
