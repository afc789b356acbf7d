import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { AttestRecord } from './attest-record.js';
import { findConflict } from './conflict.js';
import { encodeLine, type SignedEntry } from './entry.js';
import { readContent } from './record-file.js';
import { recoverRecord } from './recover.js';

const hash = (digit: number): Hex => `0x${digit.toString(16).repeat(64)}`;
const transfer = (digit: number) => ({ chainId: 8_901, transactionHash: hash(digit), callIndex: 0 });
const entry = (id: number, over: Partial<SignedEntry> = {}): SignedEntry => ({
  kind: 'DELIVERY',
  id: hash(id),
  transfer: transfer(id),
  terms: hash(9),
  side: 'ethereum',
  asset: 'XCN',
  amount: 10n ** 24n,
  validUntil: 1_000n,
  proof: 'RECEIPT',
  signedAtMs: 1,
  ...over,
});
const folders: string[] = [];
const makeFolder = (content: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'attester-record-'));
  folders.push(folder);
  writeFileSync(join(folder, 'record'), content);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const lines = [entry(1), entry(4), entry(2), entry(3)].map((each, index) => encodeLine(index + 1, each));
const whole = lines.join('');
const read = (content: string) => readContent(join(makeFolder(content), 'record'), () => undefined);

describe('the record', () => {
  it('has exactly the added entries after a restart', async () => {
    const folder = makeFolder('');
    const first = await AttestRecord.open(folder);
    await Promise.all([first.add([entry(1), entry(2)]), first.add([entry(4)])]);
    await first.close();
    expect(readFileSync(join(folder, 'record'), 'utf8').split('\n')).toHaveLength(4);
    const next = await AttestRecord.open(folder);
    expect(await next.findById(hash(2))).toEqual([entry(2)]);
    expect(await next.findByTransfer(transfer(1))).toEqual([entry(1)]);
    expect(next.signedAs(hash(3))).toEqual([]);
    await next.close();
  });

  it('loses only the last line, wherever a crash cut it, and continues after it', () => {
    const start = whole.length - (lines.at(-1)?.length ?? 0);
    for (let end = start; end < whole.length; end += 1) {
      expect(read(whole.slice(0, end))).toEqual({ entries: 3, wholeBytes: start, damagedLine: null });
    }
  });

  it('truncates a partial line before it adds another one', async () => {
    const folder = makeFolder(whole.slice(0, -20));
    const torn = await AttestRecord.open(folder);
    await torn.add([entry(5)]);
    await torn.close();
    const next = await AttestRecord.open(folder);
    expect([next.size, next.signedAs(hash(3)), next.signedAs(hash(5))]).toEqual([4, [], [entry(5)]]);
    await next.close();
  });

  it('refuses to open with any other damage: a changed byte, a lost or duplicated line, zeros', async () => {
    const start = lines[0]?.length ?? 0;
    for (let at = 0; at < start + 10; at += 7) {
      const changed = `${whole.slice(0, at)}${whole[at] === 'x' ? 'y' : 'x'}${whole.slice(at + 1)}`;
      expect(read(changed).damagedLine).not.toBeNull();
    }
    for (const damaged of [lines[0], lines[1]].map((line = '') => whole.replace(line, '')))
      expect(read(damaged).damagedLine).not.toBeNull();
    expect(read(`${whole}${lines[3]}`).damagedLine).toBe(5);
    expect(read(`${whole}${'\0'.repeat(40)}\n`).damagedLine).toBe(5);
    const folder = makeFolder(whole.replace('DELIVERY', 'REFUND'));
    await expect(AttestRecord.open(folder)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('line 1: run `attester recover`'),
    });
  });

  it('recovers every intact line, and keeps the damaged file', async () => {
    const content = whole.replace('DELIVERY', 'REFUND');
    const folder = makeFolder(content);
    const { kept, damaged } = await recoverRecord(folder, 0);
    expect(kept).toBe(3);
    expect(readFileSync(damaged ?? '', 'utf8')).toBe(content);
    const record = await AttestRecord.open(folder);
    expect([record.signedAs(hash(1)), record.signedAs(hash(2))]).toEqual([[], [entry(2)]]);
    await expect(recoverRecord(folder, 0)).rejects.toMatchObject({ exitCode: 78 });
    await record.close();
    expect(await recoverRecord(folder, 0)).toEqual({ kept: 3, damaged: null });
  });

  it('forgets expired signatures an hour after signing, and continues in the new file', async () => {
    const HOUR = 3_600_000;
    const folder = makeFolder('');
    const record = await AttestRecord.open(folder);
    const old = [entry(1), entry(2, { side: 'partner' }), entry(3, { validUntil: 1_001n })];
    const late = entry(4, { signedAtMs: 2 });
    await record.add([...old, late]);
    await record.forget({ ethereum: 1_000n, partner: 1_000n }, 9 * HOUR);
    expect([record.size, record.forgotten]).toEqual([4, 0]);
    await Promise.all([record.forget({ ethereum: 1_001n, partner: 1_000n }, HOUR + 1), record.add([entry(5)])]);
    expect([record.size, record.forgotten, record.signedAs(hash(1)), record.signedFor(transfer(1))]).toEqual([
      4,
      1,
      [],
      [],
    ]);
    await record.close();
    const next = await AttestRecord.open(folder);
    for (const kept of [...old.slice(1), late, entry(5)]) expect(next.signedAs(kept.id)).toEqual([kept]);
    expect([next.size, next.signedSince(0)]).toEqual([4, [...old.slice(1), late, entry(5)]]);
    await next.close();
  });

  it('does not grow with acceptances, which strangers can make without limit', async () => {
    const folder = makeFolder('');
    const record = await AttestRecord.open(folder);
    record.acceptances.keep(`0x${'a'.repeat(40)}`, {
      intentId: hash(7),
      signatureHash: hash(8),
      blockNumber: 5n,
      blockHash: hash(6),
      timestamp: 900n,
      fee: 10n ** 21n,
    });
    expect([record.size, readFileSync(join(folder, 'record'), 'utf8')]).toEqual([0, '']);
    await record.close();
  });

  it('refuses a second process', async () => {
    const folder = makeFolder('');
    const first = await AttestRecord.open(folder);
    await expect(AttestRecord.open(folder)).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('is used by another process'),
    });
    await first.close();
    await (await AttestRecord.open(folder)).close();
  });

  it('accepts no entry after a failed write', async () => {
    const folder = makeFolder('');
    const record = await AttestRecord.open(folder);
    await record.close();
    await expect(record.add([entry(1)])).rejects.toThrow('cannot be written');
    expect([record.isUsable, record.signedAs(hash(1))]).toEqual([false, []]);
    await expect(record.add([entry(1)])).rejects.toThrow('restart the attester');
  });
});

describe('findConflict', () => {
  const past = [entry(1), entry(2, { kind: 'REFUND' })];
  const record = {
    signedFor: ({ transactionHash }: { transactionHash: Hex }) =>
      past.filter((each) => each.transfer.transactionHash === transactionHash),
    signedAs: (id: Hex) => past.filter((each) => each.id === id),
  };
  const next = { kind: 'DELIVERY', id: hash(1), transfer: transfer(1), terms: hash(9) } as const;

  it.each([
    ['the same again', next, 0n, false],
    ['something new', { ...next, id: hash(3), transfer: transfer(3) }, 0n, false],
    ['another operation of the transfer', { ...next, id: hash(3) }, 2_000n, true],
    ['a refund of the transfer', { ...next, kind: 'REFUND' as const }, 2_000n, true],
    ['another transfer for the operation', { ...next, transfer: transfer(3) }, 2_000n, true],
    ['other terms while a signature is valid', { ...next, terms: hash(5) }, 1_000n, true],
    ['other terms after it', { ...next, terms: hash(5) }, 1_001n, false],
    [
      'a refund in place of a signed operation',
      { ...next, kind: 'REFUND' as const, id: hash(4), transfer: transfer(4), instead: hash(1) },
      2_000n,
      true,
    ],
  ])('%s', (_, payment, finalSeconds, isConflict) => {
    expect(findConflict(record, payment, finalSeconds) !== null).toBe(isConflict);
  });
});
