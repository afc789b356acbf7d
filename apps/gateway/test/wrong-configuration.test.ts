import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  makeWrongSecrets,
  runProgram,
  shiftClock,
  startAnvil,
  startGateway,
  waitUntil,
  type Anvil,
} from '@causeway/test-kit';

// Tests the deployed program: an invalid configuration prints one line and exits with 78.

const main = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gateway-wrong-'));
const TITLE = 'The configuration is invalid (--help lists all variables):';
const SECRET = 'http://127.0.0.1:9/5ec7e7';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 1 });
});
afterAll(async () => {
  await anvil?.stop();
  rmSync(folder, { recursive: true });
});

const refuse = async (env: Readonly<Record<string, string>>, clockAheadMs = 0, words: readonly string[] = []) => {
  const variables = { PORT: '0', LOG_LEVEL: 'silent', ...env };
  const { code, stderr } = await runProgram(main, variables, { clockAheadMs, words });
  const [title, ...lines] = stderr.trimEnd().split('\n');
  expect({ code, title, count: lines.length }).toEqual({ code: 78, title: TITLE, count: 1 });
  return lines.join('\n');
};

describe('the gateway ends with 78 and one line', () => {
  it.each(makeWrongSecrets(folder, SECRET))('for a secret that is %s', async (_, path, reason) => {
    const line = await refuse({ BACKEND: 'upstream', UPSTREAM_URLS_FILE: path });
    expect(line).toContain(`UPSTREAM_URLS_FILE names ${path}, which ${reason}`);
    expect(line).not.toContain('5ec7e7');
  });

  it('if every node is of another chain', async () => {
    const upstream = { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url };
    const { host } = new URL(anvil.url);
    expect(await refuse(upstream)).toBe(
      `UPSTREAM_URLS must name nodes of chain 8901 (CHAIN_ID): ${host} is of chain 1`,
    );
    // An unavailable node may be the right one.
    const gateway = await startGateway({ ...upstream, UPSTREAM_URLS: `${anvil.url},http://127.0.0.1:9` });
    expect(gateway.running()).toBe(true);
    await gateway.stop();
  });

  it('for a clock that is far behind the nodes', async () => {
    const upstream = { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url, CHAIN_ID: '1' };
    await anvil.client.request({ method: 'evm_mine' } as never);
    expect(await refuse(upstream, -60_000)).toMatch(
      /^The newest block of UPSTREAM_URLS is \d+ s in the future: set the clock of this machine \(NTP\)$/,
    );
  });
});

describe('the gateway with its own chain ends with 78 and one line', () => {
  const embedded = { DATA_DIRECTORY: join(folder, 'chain'), BLOCK_INTERVAL_MS: '100' };
  const hash = (directory = embedded.DATA_DIRECTORY) =>
    createHash('sha256')
      .update(readFileSync(join(directory, 'data.mdb')))
      .digest('hex');

  it('while another process makes blocks of the same folder', async () => {
    const first = await startGateway(embedded);
    const line = await refuse(embedded);
    const call = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}';
    const number = async () =>
      Number(((await (await fetch(first.httpUrl, { ...call, body })).json()) as { result: string }).result);
    const before = await number();
    await waitUntil('the first one goes on', async () => (await number()) > before);
    await first.stop();
    expect(line).toBe(
      `DATA_DIRECTORY cannot be used: ${embedded.DATA_DIRECTORY} is in use by process ${first.pid}: ` +
        'two processes must not make blocks of one chain',
    );
  });

  it('for the folder of another chain, and writes nothing there', async () => {
    const before = hash();
    const genesis = join(folder, 'genesis.json');
    writeFileSync(genesis, JSON.stringify({ timestamp: 1 }));
    for (const other of [{ GENESIS: genesis }, { CHAIN_ID: '327', GENESIS: genesis }])
      expect(await refuse({ ...embedded, ...other })).toMatch(
        /^DATA_DIRECTORY cannot be used: .*chain holds another chain .*: use another directory/,
      );
    expect(hash()).toBe(before);
  });

  it('for a copy made while it runs, until its newest block is accepted, and for one that was cut off', async () => {
    const copy = join(folder, 'copy');
    const running = await startGateway(embedded);
    const { code, stdout } = await runProgram(main, embedded, { words: ['copy', copy] });
    await running.stop();
    const [, block = ''] = /ends at block (\d+)/.exec(stdout) ?? [];
    expect([code, Number(block)]).toEqual([0, expect.any(Number)]);
    const ofCopy = { ...embedded, DATA_DIRECTORY: copy };
    const before = hash(copy);
    expect(await refuse(ofCopy)).toMatch(
      new RegExp(`^DATA_DIRECTORY cannot be used: ${copy} is a copy that ends at block ${block}: .*/accept-copy$`),
    );
    const whole = readFileSync(join(copy, 'data.mdb'));
    writeFileSync(join(copy, 'data.mdb'), whole.subarray(0, whole.length / 2));
    expect(await refuse(ofCopy)).toMatch(/^DATA_DIRECTORY cannot be used: .*data\.mdb has \d+ of its \d+ bytes: /);
    writeFileSync(join(copy, 'data.mdb'), whole);
    expect(hash(copy)).toBe(before);
    writeFileSync(join(copy, 'accept-copy'), block);
    await (await startGateway(ofCopy)).stop();
  });

  it('for a copy that cannot be made', async () => {
    for (const [words, env, line] of [
      [['copy', folder], embedded, /^DATA_DIRECTORY cannot be copied: .* already exists/],
      [['copy'], embedded, /^copy needs the directory that it makes/],
      [['copy', 'x'], { BACKEND: 'upstream', UPSTREAM_URLS: anvil.url }, /^BACKEND must be embedded/],
    ] as const)
      expect(await refuse(env, 0, words)).toMatch(line);
  });

  it('for a clock that is far behind its newest block, and writes nothing', async () => {
    const before = hash();
    expect(await refuse(embedded, -60_000)).toMatch(
      /^DATA_DIRECTORY cannot be used: the newest block of .* is \d+ s in the future: set the clock of this machine/,
    );
    expect(hash()).toBe(before);
    // Clients of a development chain move its time forward.
    const env = { ...embedded, DEVELOPMENT_METHODS: 'true' };
    const traveller = await startGateway(env, { execArgv: shiftClock(-60_000) });
    await traveller.stop();
  });

  it('for a missing or invalid genesis', async () => {
    expect(await refuse({ ...embedded, CHAIN_ID: '327' })).toMatch(/^GENESIS: chain 327 needs a genesis file/);
    expect(await refuse({ ...embedded, GENESIS: main })).toMatch(/^GENESIS: .*main\.js cannot be read as JSON/);
  });

  it('but resumes its folder after it was killed', async () => {
    const killed = await startGateway(embedded);
    process.kill(killed.pid, 'SIGKILL');
    await waitUntil('it is dead', () => !killed.running());
    const next = await startGateway(embedded);
    expect(next.running()).toBe(true);
    await next.stop();
  });
});
