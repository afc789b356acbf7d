import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { AttestRecord } from '../src/record/attest-record.js';
import { encodeLine, type SignedEntry } from '../src/record/entry.js';

// A process that forgets is killed before each of its disk operations, including those within the writing of the new
// file. The kills of e2e/chaos do not hit these steps.

const hash = (digit: number): Hex => `0x${String(digit).repeat(64)}`;
const entry = (id: number, validUntil: bigint): SignedEntry => ({
  kind: 'DELIVERY',
  id: hash(id),
  transfer: { chainId: 8_901, transactionHash: hash(id), callIndex: 0 },
  terms: hash(9),
  side: 'ethereum',
  asset: 'XCN',
  amount: 1n,
  validUntil,
  proof: 'RECEIPT',
  signedAtMs: 1,
});
const ENDED = [entry(1, 10n), entry(3, 10n)];
const LIVE = [entry(2, 20n), entry(4, 20n)];
const ADDED = entry(5, 30n);

const SCRIPT = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import { AttestRecord } from '${new URL('../dist/record/attest-record.js', import.meta.url).href}';
  const [folder, line, kill] = process.argv.slice(1);
  const record = await AttestRecord.open(folder);
  const steps = [];
  for (const step of ['openSync', 'writeFileSync', 'fsyncSync', 'closeSync', 'renameSync']) {
    const run = fs[step];
    fs[step] = (...given) => {
      if (steps.length === Number(kill)) {
        if (step === 'writeFileSync') run(given[0], given[1].slice(0, given[1].length / 2));
        process.kill(process.pid, 'SIGKILL');
      }
      steps.push(step);
      return run(...given);
    };
  }
  syncBuiltinESMExports();
  await record.forget({ ethereum: 15n, partner: 15n }, 9e12);
  const added = JSON.parse(line);
  await record.add([{ ...added, amount: 1n, validUntil: 30n }]);
  console.log(JSON.stringify(steps));
  await record.close();
`;

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Runs the process on a record of its own, killed before a step. */
function run(kill: number) {
  const folder = mkdtempSync(join(tmpdir(), 'attester-forget-'));
  folders.push(folder);
  const entries = [ENDED, LIVE].flat().toSorted((a, b) => (a.id < b.id ? -1 : 1));
  writeFileSync(join(folder, 'record'), entries.map((each, index) => encodeLine(index + 1, each)).join(''));
  const line = JSON.stringify({ ...ADDED, amount: 0, validUntil: 0 });
  const words = ['--input-type=module', '-e', SCRIPT, folder, line, String(kill)];
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { folder, signal, status, stdout, stderr };
}

it('keeps every living signature, wherever forgetting is killed', async () => {
  let kills = 0;
  let ended = run(kills);
  for (; ended.signal === 'SIGKILL'; ended = run((kills += 1))) {
    const record = await AttestRecord.open(ended.folder);
    for (const each of LIVE) expect(record.signedAs(each.id)).toEqual([each]);
    const [first, ...others] = ENDED.map(({ id }) => record.signedAs(id).length);
    expect(others).toEqual([first]);
    await record.close();
  }
  const { folder, status, stdout, stderr } = ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // The new file is flushed before it gets the name, and the folder after that.
  const file = ['openSync', 'writeFileSync', 'fsyncSync', 'closeSync'];
  expect(JSON.parse(stdout)).toEqual([...file, 'renameSync', 'openSync', 'fsyncSync', 'closeSync']);
  expect(kills).toBe(8);
  const lines = [...LIVE, ADDED].map((each, index) => encodeLine(index + 1, each));
  expect(readFileSync(join(folder, 'record'), 'utf8')).toBe(lines.join(''));
}, 60_000);
