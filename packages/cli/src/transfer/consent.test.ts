import { describe, expect, it } from '@jest/globals';
import { FakeStreams } from '../../test/fake-streams.js';
import type { Context } from '../command.js';
import { Printer } from '../output/printer.js';
import { assertMaySend, confirm } from './consent.js';

function aContext(streams: FakeStreams, json = false): Context {
  return {
    flags: { color: false, json },
    env: {},
    streams,
    printer: new Printer(streams, json, false),
    reads: { signal: new AbortController().signal, onRetry: () => undefined },
    loadProgram: () => Promise.reject(new Error('not needed')),
  };
}

describe('consent', () => {
  it.each([
    ['a terminal', new FakeStreams(true), false, undefined, true],
    ['a terminal and --yes', new FakeStreams(true), false, true, true],
    ['a terminal and --json', new FakeStreams(true), true, undefined, false],
    ['pipes', new FakeStreams(), false, undefined, false],
    ['pipes and --yes', new FakeStreams(), true, true, true],
  ])('with %s', (_, streams, json, yes, may) => {
    const check = () => assertMaySend(aContext(streams, json), yes === undefined ? {} : { yes });
    if (may) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ name: 'NotConfirmedError' }));
  });

  it('is asked for once, and a no ends the command', async () => {
    const answer = async (line: string, options: { readonly yes?: boolean }) => {
      const streams = new FakeStreams(true);
      const answered = confirm(aContext(streams), options, 'Send?');
      streams.input.write(line);
      await answered;
      return streams.errors.text;
    };
    expect(await answer('y\n', {})).toContain('Send? [y/N]');
    expect(await answer('', { yes: true })).toBe('');
    await expect(answer('n\n', {})).rejects.toMatchObject({ name: 'NotConfirmedError' });
  });
});
