import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { askPassword, askYesNo } from './terminal.js';

describe('the terminal', () => {
  const terminal = () => ({ input: Object.assign(new PassThrough(), { isTTY: true }), output: new PassThrough() });

  it('reads a password without echoing it', async () => {
    const { input, output } = terminal();
    const answer = askPassword('Password: ', { input, output });
    input.write('correct horse\n');
    expect(await answer).toBe('correct horse');
    expect(String(output.read())).toBe('Password: \n');
  });

  it('says what to do without a terminal', async () => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(askPassword('Password: ', streams)).rejects.toThrow(/--password-file/);
  });

  it.each([
    ['y\n', true],
    ['YES\n', true],
    ['\n', false],
    ['no\n', false],
    ['yesterday\n', false],
    ['', false],
  ])('reads the answer %j to a question as %s', async (typed, expected) => {
    const { input, output } = terminal();
    input.end(typed);
    expect(await askYesNo('Send?', { input, output })).toBe(expected);
    expect(String(output.read())).toBe('Send? [y/N] ');
  });
});
