import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { FakeStreams } from '../../test/fake-streams.js';
import type { Context } from '../command.js';
import { Printer } from '../output/printer.js';
import { readAccount, type KeyOptions } from './read-account.js';

const KEY = `0x${'11'.repeat(32)}`;
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';

async function read(options: KeyOptions, { variable = '', input = '' } = {}) {
  const streams = new FakeStreams();
  streams.input.end(input);
  const context: Context = {
    flags: { color: false },
    env: { CAUSEWAY_PRIVATE_KEY: variable },
    streams,
    printer: new Printer(streams, false, false),
    reads: { signal: new AbortController().signal, onRetry: () => undefined },
    loadProgram: () => Promise.reject(new Error('not needed')),
  };
  return readAccount(context, options);
}

describe('a key', () => {
  it.each([KEY, KEY.slice(2), ` ${KEY}\n`])('comes from the variable or from standard input (%j)', async (text) => {
    expect(await read({}, { variable: text })).toMatchObject({ address: ADDRESS });
    expect(await read({ keyStdin: true }, { input: text })).toMatchObject({ address: ADDRESS });
  });

  it('comes from the option before the variable', async () => {
    const other = `0x${'22'.repeat(32)}`;
    expect(await read({ keyStdin: true }, { variable: other, input: KEY })).toMatchObject({ address: ADDRESS });
  });

  it.each([`${KEY}1`, `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`, 'hunter2'])(
    '%s is refused, and never shown',
    async (text) => {
      const refused = read({}, { variable: text });
      await expect(refused).rejects.toMatchObject({ name: 'KeyError', field: 'CAUSEWAY_PRIVATE_KEY' });
      await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining(text.slice(2, 9)) });
      await expect(refused).rejects.not.toHaveProperty('cause');
    },
  );

  it('is refused when missing, given twice or unreadable', async () => {
    await expect(read({})).rejects.toMatchObject({
      name: 'UsageError',
      nextStep: expect.stringContaining('--keystore'),
    });
    await expect(read({ keystore: 'a', keyStdin: true })).rejects.toMatchObject({ name: 'UsageError' });
    await expect(read({ keystore: '/none' })).rejects.toMatchObject({ name: 'KeyError', field: 'keystore' });
  });

  it('of a keystore asks for the password on a terminal only', async () => {
    const file = fileURLToPath(new URL('../../package.json', import.meta.url));
    await expect(read({ keystore: file })).rejects.toMatchObject({ name: 'NotConfirmedError' });
  });
});
