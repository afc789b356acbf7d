import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testKey } from '@causeway/test-kit';
import { runCommand } from '../src/cli/run-command.js';
import { findCommand } from '@causeway/governance';
import { deployBridge, writeAddressBook, type AddressBook } from '@causeway/contracts/deploy';
import { localConfig, startChains, makeTarget, type TestChains } from './fixtures.js';

describe('a confirmation at the terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-confirm-'));
  const bookFile = join(folder, 'book.json');
  let chains: TestChains;
  let book: AddressBook;

  beforeAll(async () => {
    chains = await startChains();
    book = await deployBridge({ config: localConfig(), ...chains });
    writeAddressBook(bookFile, book);
    process.env['OPERATOR_PRIVATE_KEY'] = testKey(6);
  });

  afterAll(async () => {
    delete process.env['OPERATOR_PRIVATE_KEY'];
    rmSync(folder, { recursive: true });
    await chains?.stop();
  });

  /** Sets the limit of ETH on Ethereum to a capacity, and types an answer. Returns the question. */
  async function setLimit(ether: number, typed: string): Promise<string> {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    input.end(typed);
    const command = findCommand('set-limit');
    await runCommand(
      { book: bookFile, ethereumRpc: chains.anvils[0].url, send: true },
      { ...command, ...command.read({ chain: 'ethereum', asset: 'ETH', capacity: `${ether} ETH`, window: '1h' }) },
      { input, output },
    );
    return String(output.read());
  }

  const transactions = async () => makeTarget(chains.anvils[0]).client.getBlockNumber({ cacheTime: 0 });

  it('sends after yes, and sends nothing after any other answer', async () => {
    const before = await transactions();
    await expect(setLimit(77, 'n\n')).rejects.toThrow('Nothing was sent: not confirmed.');
    await expect(setLimit(77, '')).rejects.toThrow('Nothing was sent: not confirmed.');
    expect(await transactions()).toBe(before);
    expect(await setLimit(77, 'y\n')).toMatch(/^Send as 0x976E\w+ on local\? \[y\/N\] $/);
    expect(await transactions()).toBe(before + 1n);
  });
});
