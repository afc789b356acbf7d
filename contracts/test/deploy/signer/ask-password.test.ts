import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { askPassword } from '../../../deploy/signer/ask-password.js';

describe('askPassword', () => {
  it('takes a line, and shows the question only', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    const answer = askPassword('Password: ', { input, output });
    input.write('correct horse\n');
    expect(await answer).toBe('correct horse');
    expect(String(output.read())).toBe('Password: \n');
  });

  it('says what to do where there is no terminal', async () => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(askPassword('Password: ', streams)).rejects.toThrow(/--password-file/);
  });
});
