import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aRecord } from '../../test/a-record.js';
import { run } from '../../test/fake-streams.js';
import { RecordFolder } from './folder.js';

const STATES = [
  ['planned', 'PLANNED', 'never asked'],
  ['refused', 'REFUSED', 'refused'],
  ['asked', 'ASKED', 'asked'],
  ['sent', 'SENT', 'sent'],
  ['failed', 'ENDED', null],
  ['done', 'SENT', null],
] as const;

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'causeway-records-'));
  const folder = new RecordFolder(directory);
  for (const [index, [state]] of STATES.entries()) {
    const steps = [{ step: 'send', what: 'transfer', state }] as const;
    await folder.save(aRecord({ id: `0x${String(index).repeat(64)}`, steps }));
  }
  await folder.close();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the open transfers', () => {
  it('are listed with what was asked, and without those that have ended', async () => {
    const { output } = await run(['resume', '--records', directory]);
    for (const [index, [, , shown]] of STATES.entries()) {
      const row = new RegExp(`0x${String(index).repeat(64)} │ DEPOSIT ETH +│ ${shown} +│ transfer`);
      if (shown === null) expect(output).not.toContain(`0x${String(index).repeat(64)}`);
      else expect(output).toMatch(row);
    }
  });

  it('have their state for a program', async () => {
    const { output } = await run(['resume', '--records', directory, '--json']);
    const { transfers } = JSON.parse(output) as { transfers: readonly { id: string; state: string }[] };
    const states = Object.fromEntries(transfers.map(({ id, state }) => [id[2], state]));
    expect(states).toEqual({ 0: 'PLANNED', 1: 'REFUSED', 2: 'ASKED', 3: 'SENT' });
  });
});
