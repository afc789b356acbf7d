import { describe, expect, it } from '@jest/globals';
import { FakeStreams } from '../../test/fake-streams.js';
import { Printer } from './printer.js';

describe('the printer', () => {
  it('writes only JSON for a program: an object a line, amounts as text', async () => {
    const streams = new FakeStreams();
    const printer = new Printer(streams, true, true);
    printer.line('- Sign');
    await printer.notice({ text: 'Terms' });
    printer.event({ event: 'step' });
    await printer.result({ amount: 10n ** 20n }, () => []);
    expect(streams.output.text).toBe('{"event":"step"}\n{"amount":"100000000000000000000"}\n');
    expect(streams.errors.text).toBe('');
  });

  it('writes the answer to standard output and progress to standard error for a person', async () => {
    const streams = new FakeStreams();
    const printer = new Printer(streams, false, true);
    printer.event({ event: 'step' });
    printer.line('- Sign');
    await printer.result({}, () => [
      { head: ['Asset'], rows: [['USDC']] },
      { text: 'Done', tone: 'good' },
    ]);
    expect(streams.output.text).toContain('│ USDC  │');
    expect(streams.output.text).toMatch(/Done\n$/);
    expect(streams.errors.text).toBe('- Sign\n');
  });

  it('colours only a terminal, and only where colours are allowed', () => {
    const colored = (isTerminal: boolean, mayColor: boolean) => {
      const streams = new FakeStreams(isTerminal);
      new Printer(streams, false, mayColor).line('Sent', 'good');
      return streams.errors.text !== 'Sent\n';
    };
    expect([colored(true, true), colored(true, false), colored(false, true)]).toEqual([true, false, false]);
  });

  it("removes control characters from an API's texts", async () => {
    const streams = new FakeStreams();
    const printer = new Printer(streams, false, false);
    printer.line('over\u001B[2Jwritten');
    await printer.result({}, () => [{ rows: [['a\rb\u009B']] }, { text: 'two\nlines' }]);
    expect(streams.errors.text).toBe('over[2Jwritten\n');
    expect(streams.output.text).toMatch(/│ ab │[\s\S]*two\nlines\n$/);
  });
});
