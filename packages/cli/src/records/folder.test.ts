import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aRecord } from '../../test/a-record.js';
import { chooseFolder, RecordFolder } from './folder.js';

let parent: string;
let directory: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'causeway-records-'));
  directory = join(parent, 'causeway');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe('the folder of records', () => {
  it('keeps the newest record in a file of this user', async () => {
    const folder = new RecordFolder(directory);
    await folder.save(aRecord({ revision: 1 }));
    const record = aRecord({ revision: 2 });
    await folder.save(record);
    expect(await folder.load(record.id)).toEqual(record);
    await folder.close();
    expect(readdirSync(directory)).toEqual([`${record.id}.json`]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(folder.locate(record.id)).mode & 0o777).toBe(0o600);
  });

  it('lists records, newest first, and unreadable files', async () => {
    const folder = new RecordFolder(directory);
    const [older, newer] = [
      aRecord({ id: `0x${'1'.repeat(64)}`, createdAt: '2026-01-01T00:00:00.000Z' }),
      aRecord({ id: `0x${'2'.repeat(64)}`, createdAt: '2026-02-01T00:00:00.000Z' }),
    ];
    await folder.save(older);
    await folder.save(newer);
    const broken = folder.locate(`0x${'3'.repeat(64)}`);
    writeFileSync(broken, '{}');
    expect(await folder.list()).toEqual({
      records: [newer, older],
      unreadable: [{ file: broken, problem: expect.stringContaining('cannot be used') }],
    });
    await folder.close();
    expect(await new RecordFolder(join(parent, 'none')).list()).toEqual({ records: [], unreadable: [] });
  });

  it("comes from the option, else XDG_STATE_HOME, else the user's home", () => {
    expect(chooseFolder('/a', { XDG_STATE_HOME: '/b' })).toBe('/a');
    expect(chooseFolder(undefined, { XDG_STATE_HOME: '/b' })).toBe('/b/causeway');
    expect(chooseFolder(undefined, { XDG_STATE_HOME: '' })).toMatch(/\/\.local\/state\/causeway$/);
  });
});
