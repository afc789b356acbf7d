import { describe, expect, it } from '@jest/globals';
import { FakeStreams } from '../../test/fake-streams.js';
import { ask, askYesNo, isInteractive } from './ask.js';

/** Types an answer key by key. */
async function type<T>(keys: string, question: (streams: FakeStreams) => Promise<T>) {
  const streams = new FakeStreams(true);
  const answer = question(streams);
  streams.input.write(keys);
  return { answer: await answer, shown: streams.errors.text };
}

describe('a question', () => {
  it.each([
    ['y\n', true],
    ['YES\n', true],
    ['\n', false],
    ['no\n', false],
    ['yy\n', false],
  ])('answered with %j means %s', async (keys, meant) => {
    const { answer, shown } = await type(keys, async (streams) => askYesNo(streams, 'Send?'));
    expect(answer).toBe(meant);
    expect(shown).toContain('Send? [y/N] ');
  });

  it('hides the answer when it is a secret', async () => {
    const { answer, shown } = await type('hunter2\n', async (streams) => ask(streams, 'Password: ', true));
    expect(answer).toBe('hunter2');
    expect(shown).toBe('Password: \n');
  });

  it('ends with Ctrl-C and with the end of the terminal', async () => {
    await expect(type('\u0003', async (streams) => ask(streams, 'Send?'))).rejects.toMatchObject({
      name: 'InterruptedError',
    });
    const streams = new FakeStreams(true);
    const answer = ask(streams, 'Send?');
    streams.input.end();
    await expect(answer).rejects.toMatchObject({ name: 'NotConfirmedError' });
  });

  it('is asked only where all streams are a terminal', () => {
    const [terminal, pipes] = [new FakeStreams(true), new FakeStreams()];
    const mixed = (['input', 'output', 'errors'] as const).map((name) => ({
      input: terminal.input,
      output: terminal.output,
      errors: terminal.errors,
      [name]: pipes[name],
    }));
    expect([terminal, pipes, ...mixed].map(isInteractive)).toEqual([true, false, false, false, false]);
  });
});
