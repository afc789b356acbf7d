import { PassThrough } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { checkNode } from './check-node.js';
import { askPassword, askYesNo } from './terminal.js';

describe('the terminal', () => {
  const terminal = () => ({ input: Object.assign(new PassThrough(), { isTTY: true }), output: new PassThrough() });

  it('reads a password, and shows the question only', async () => {
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

describe('checkNode', () => {
  it('ends in one line under a too old Node', () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    checkNode('admin', '24.0.0');
    expect(exit).not.toHaveBeenCalled();
    checkNode('admin', '20.20.2');
    expect(exit).toHaveBeenCalledWith(1);
    expect(write.mock.calls).toEqual([
      ['admin needs Node 24 or newer, but this is Node 20.20.2: install a newer one\n'],
    ]);
    exit.mockRestore();
    write.mockRestore();
  });
});
