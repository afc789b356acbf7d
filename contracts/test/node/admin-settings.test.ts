import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { testKey, type Anvil } from '@causeway/test-kit';
import {
  formatAmount,
  formatDuration,
  formatRate,
  parseAmount,
  parseDuration,
  parseRate,
} from '../../admin/amounts.js';
import { runCommand } from '../../admin/run-command.js';
import { setOutflowLimit } from '../../admin/settings.js';
import { checkNode } from '../../deploy/check-node.js';
import { deployBridge, writeAddressBook, type AddressBook } from '../../deploy/index.js';
import { localConfig, startChains, targetOf } from './fixtures.js';

describe('amounts', () => {
  it.each([
    ['0.003 ETH', 'ETH', 3_000_000_000_000_000n],
    ['5 USDC', 'USDC', 5_000_000n],
    ['5usdc', 'USDC', 5_000_000n],
    ['0.000001 USDC', 'USDC', 1n],
    ['1000 XCN', 'XCN', 10n ** 21n],
    ['0 ETH', 'ETH', 0n],
  ] as const)('reads %s', (text, asset, atomic) => {
    expect(parseAmount(text, asset)).toBe(atomic);
    expect(parseAmount(formatAmount(atomic, asset), asset)).toBe(atomic);
  });

  it.each([
    ['3000000', 'ETH', /has no unit: write "0.003 ETH"/],
    ['5 USDC', 'ETH', /is an amount of USDC, but the asset is ETH/],
    ['0.0000001 USDC', 'USDC', /has 7 decimals, but USDC has 6/],
    ['-1 ETH', 'ETH', /is not an amount/],
    ['1e3 XCN', 'XCN', /is not an amount/],
    ['1,5 ETH', 'ETH', /is not an amount/],
    ['', 'ETH', /is not an amount/],
  ] as const)('refuses %j for %s', (text, asset, reason) => {
    expect(() => parseAmount(text, asset)).toThrow(reason);
  });

  it('reads rates in percent and basis points', () => {
    expect([parseRate('0.25%'), parseRate('25bps'), parseRate('25 bps'), parseRate('0%')]).toEqual([25, 25, 25, 0]);
    expect([parseRate('1.50%'), parseRate('99.99%')]).toEqual([150, 9_999]);
    expect(formatRate(25)).toBe('0.25%');
    for (const text of ['25', '0.25', 'x%', '-1%']) expect(() => parseRate(text)).toThrow(/is not a rate/);
    for (const text of ['0.001%', '2.5bps']) expect(() => parseRate(text)).toThrow(/finer than a basis point/);
    expect(() => parseRate('100%')).toThrow(/above the highest rate/);
  });

  it('reads durations', () => {
    expect(['90s', '30m', '1h', '2d'].map((text) => parseDuration(text))).toEqual([90, 1_800, 3_600, 172_800]);
    expect([90, 1_800, 3_600, 172_800, 0].map((seconds) => formatDuration(seconds))).toEqual([
      '90s',
      '30m',
      '1h',
      '2d',
      '0s',
    ]);
    for (const text of ['3600', '1.5h', 'h']) expect(() => parseDuration(text)).toThrow(/is not a duration/);
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

describe('a confirmation at the terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-confirm-'));
  const bookFile = join(folder, 'book.json');
  let anvils: [Anvil, Anvil];
  let book: AddressBook;

  beforeAll(async () => {
    anvils = await startChains();
    book = await deployBridge({ config: localConfig(), ethereum: targetOf(anvils[0]), partner: targetOf(anvils[1]) });
    writeAddressBook(bookFile, book);
    process.env['OPERATOR_PRIVATE_KEY'] = testKey(0);
  });

  afterAll(async () => {
    delete process.env['OPERATOR_PRIVATE_KEY'];
    rmSync(folder, { recursive: true });
    await Promise.all((anvils ?? []).map((anvil) => anvil.stop()));
  });

  /** Sets the limit of ETH on Ethereum to a capacity, and types an answer. Returns the question. */
  async function setLimit(capacity: bigint, typed: string): Promise<string> {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    input.end(typed);
    await runCommand(
      { book: bookFile, ethereumRpc: anvils[0].url, send: true },
      {
        chains: ['ethereum'],
        plan: async (own, clients) =>
          setOutflowLimit(own, { chain: 'ethereum', asset: 'ETH' }, { capacity, windowSeconds: 3_600 }, clients),
        needsConfirmation: true,
      },
      { input, output },
    );
    return String(output.read());
  }

  const transactions = async () => targetOf(anvils[0]).client.getBlockNumber({ cacheTime: 0 });

  it('sends after yes, and sends nothing after any other answer', async () => {
    const before = await transactions();
    await expect(setLimit(7n, 'n\n')).rejects.toThrow('Nothing was sent: not confirmed.');
    await expect(setLimit(7n, '')).rejects.toThrow('Nothing was sent: not confirmed.');
    expect(await transactions()).toBe(before);
    expect(await setLimit(7n, 'y\n')).toMatch(/^Send as 0xf39F\w+ on local\? \[y\/N\] $/);
    expect(await transactions()).toBe(before + 1n);
  });
});
