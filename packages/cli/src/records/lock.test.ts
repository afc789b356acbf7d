import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@causeway/test-kit';
import { aRecord } from '../../test/a-record.js';
import { RecordFolder } from './folder.js';
import type { LockOptions } from './lock.js';

const HOUR = 3_600_000;
/** Renews often, so that a test waits little. */
const QUICK = { renewMs: 30 };
const RECORD = aRecord();
const IN_USE = { name: 'RecordError', field: 'id', message: expect.stringContaining('in use') };

let directory: string;
let lock: string;
let folders: RecordFolder[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'causeway-records-'));
  lock = join(directory, `${RECORD.id}.json.lock`);
  folders = [];
});
afterEach(async () => {
  await Promise.all(folders.map(async (each) => each.close()));
  rmSync(directory, { recursive: true, force: true });
});

/** Opens the folder as another process does. */
function openFolder(options?: LockOptions): RecordFolder {
  const folder = new RecordFolder(directory, options);
  folders.push(folder);
  return folder;
}

/** The holder that this process writes into its locks. */
async function describeSelf(): Promise<object> {
  const folder = openFolder();
  await folder.save(RECORD);
  const self = JSON.parse(readFileSync(lock, 'utf8')) as object;
  await folder.close();
  return self;
}

const ELSEWHERE = { pid: process.pid, host: '0b1c2d3e4f5a', place: 'a container', started: '77', token: 'x' };

function setRenewed(ago: number): void {
  const date = new Date(Date.now() - ago);
  utimesSync(lock, date, date);
}

/** Leaves a lock that another process renewed last some time ago. */
function leaveLock(holder: unknown, ago = 0): void {
  writeFileSync(lock, JSON.stringify(holder));
  setRenewed(ago);
}

describe('the lock of a transfer', () => {
  it('has one holder at a time', async () => {
    const [first, second] = [openFolder(), openFolder()];
    await first.save(RECORD);
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    await expect(second.load(RECORD.id)).rejects.toMatchObject(IN_USE);
    await expect(second.save(RECORD)).rejects.toMatchObject(IN_USE);
    await first.close();
    expect(await second.load(RECORD.id)).toEqual(RECORD);
    await second.close();
    expect(readdirSync(directory)).toEqual([`${RECORD.id}.json`]);
  });

  it.each([
    ['that has ended', { pid: 2 ** 22 + 1 }],
    ...(process.platform === 'linux' ? [['whose id another process has now', { started: '1' }] as const] : []),
  ])('is taken from a process %s', async (_, over) => {
    leaveLock({ ...(await describeSelf()), ...over, token: 'x' });
    expect(await openFolder().load(RECORD.id)).toEqual(RECORD);
  });

  it.each([
    ['a killed container', ELSEWHERE, 61_000],
    ['a killed container whose clock was an hour ahead', ELSEWHERE, -HOUR],
    ['a broken file', 'broken', 61_000],
  ])('is taken from %s after a minute without a renewal', async (_, holder, ago) => {
    leaveLock(holder, ago);
    const said: string[] = [];
    await openFolder({ ...QUICK, onWait: (sentence) => said.push(sentence) }).save(RECORD);
    expect(said).toEqual([expect.stringMatching(/^Waiting to see whether .*process.* still runs this transfer$/)]);
  });

  it('is left to a holder that renewed it within a minute', async () => {
    leaveLock(ELSEWHERE, 50_000);
    await expect(openFolder(QUICK).load(RECORD.id)).rejects.toMatchObject(IN_USE);
  });

  it('is left to a holder that still renews it, whatever the clocks say', async () => {
    leaveLock(ELSEWHERE, HOUR);
    const onWait = () => setTimeout(() => setRenewed(HOUR), 40);
    await expect(openFolder({ ...QUICK, onWait }).load(RECORD.id)).rejects.toMatchObject(IN_USE);
  });

  it('is renewed by its holder, and never for another one', async () => {
    const folder = openFolder({ renewMs: 5 });
    await folder.save(RECORD);
    setRenewed(HOUR);
    const renewed = () => statSync(lock).mtimeMs > Date.now() - HOUR / 2;
    await waitUntil('the lock is renewed', async () => renewed());
    rmSync(lock);
    leaveLock(ELSEWHERE, HOUR);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(renewed()).toBe(false);
  });

  it('stops a process from which it was taken while the process was suspended', async () => {
    const folder = openFolder({ renewMs: HOUR });
    await folder.save(RECORD);
    leaveLock(ELSEWHERE);
    await expect(folder.save(aRecord({ revision: 9 }))).rejects.toMatchObject(IN_USE);
    await folder.close();
    expect(readdirSync(directory)).toContain(`${RECORD.id}.json.lock`);
    expect((await folder.read(RECORD.id))?.revision).toBe(1);
  });

  it('stops a process from which it is taken while the process saves a step', async () => {
    const folder = openFolder();
    await folder.save(RECORD);
    // Called after the first check of the lock. The process that takes it does not find the new record yet.
    const toJSON = () => {
      leaveLock(ELSEWHERE);
      return aRecord({ revision: 2 });
    };
    await expect(folder.save(Object.assign(aRecord({ revision: 2 }), { toJSON }))).rejects.toMatchObject(IN_USE);
  });
});
