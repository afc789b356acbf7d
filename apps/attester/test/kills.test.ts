import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { isLong } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { AttestRecord } from '../src/record/attest-record.js';

const WRITER = fileURLToPath(new URL('setup/record-writer.ts', import.meta.url));
const LONGEST_MS = 30;
const kills = isLong ? 300 : 20;
const folder = mkdtempSync(join(tmpdir(), 'attester-kills-'));
afterAll(() => rmSync(folder, { recursive: true }));

it(`has every signature that left, after each of ${kills} kills at a random moment`, async () => {
  const left: Hex[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const child = spawn(process.execPath, [WRITER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const end = once(child, 'close');
    await Promise.race([once(child.stdout, 'data'), end]);
    await sleep(Math.random() * LONGEST_MS);
    child.kill('SIGKILL');
    await end;
    left.push(...(output.match(/0x\w{64}(?=\n)/g) ?? []).map((id) => id as Hex));
    // A damaged record would not open.
    const record = await AttestRecord.open(folder);
    expect(left.filter((id) => record.signedAs(id).length !== 1)).toEqual([]);
    await record.close();
  }
  expect(left.length).toBeGreaterThanOrEqual(kills);
});
