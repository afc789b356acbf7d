import { fork, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '@causeway/store';
import { afterEach, describe, expect, it } from '@jest/globals';
import { temporaryDatabase, waitUntil } from '@causeway/test-kit';
import { stackFileSchema, type StackFile } from '@causeway/testbed';

const cli = fileURLToPath(new URL('../../packages/testbed/dist/cli/stack.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'causeway-stack-'));
chmodSync(directory, 0o755);
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

/** Runs the command as a person does, and reads what it prints. */
function stack(...flags: string[]) {
  const child = fork(cli, ['--directory', directory, '--hold-seconds', '2', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_NO_WARNINGS: '1' },
  });
  running.add(child);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = new Promise<number | null>((resolve) => child.once('exit', (exit) => resolve(exit)));
  return { child, code, output: () => output };
}

const file = join(directory, 'stack.json');
function stackFile(): StackFile {
  return stackFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** A machine may be busy with other tests. */
const PATIENCE_MS = 120_000;

/** What the relayer said lately tells why something did not come. */
async function orShowLog(waiting: Promise<unknown>): Promise<void> {
  await waiting.catch((error: unknown) => {
    const log = readFileSync(join(directory, 'logs', 'relayer.log'), 'utf8').slice(-4_000);
    throw new Error(`${String(error)}; the relayer's log ends with:\n${log}`, { cause: error });
  });
}

/** What the stack wrote, once it is all there: a stack that was killed leaves its own behind. */
async function ready({ pid }: ChildProcess): Promise<StackFile> {
  await waitUntil('the stack is ready', () => Promise.resolve(stackFile().pid === pid), { timeoutMs: PATIENCE_MS });
  return stackFile();
}

async function allGone({ healthUrl, ethereum, partner }: StackFile): Promise<void> {
  for (const url of [healthUrl, ethereum.rpcUrl, partner.rpcUrl]) {
    await waitUntil(`${url} is gone`, async () => !(await answers(url)));
  }
}

describe('the stack', () => {
  it('says what it does, writes stack.json, and leaves nothing behind at Ctrl-C', async () => {
    const { child, code, output } = stack();
    const info = await ready(child);
    expect((await fetch(info.healthUrl)).status).toBe(200);
    await waitUntil('the summary is printed', () => Promise.resolve(output().includes('Ctrl-C')));
    expect(output()).toContain(info.addressBook.ethereum.bridgeLock);
    child.kill('SIGINT');
    expect(await code).toBe(0);
    await allGone(info);
    expect(existsSync(file)).toBe(false);
  });

  it('goes on where it stopped, with the same contracts; begins anew with --fresh', async () => {
    const first = stack();
    const before = await ready(first.child);
    const other = stack();
    expect(await other.code).toBe(1);
    expect(other.output()).toContain('already');
    first.child.kill('SIGINT');
    await first.code;
    const second = stack();
    const resumed = await ready(second.child);
    expect(second.output()).toContain('where the last run stopped');
    expect(resumed.addressBook).toEqual(before.addressBook);
    second.child.kill('SIGINT');
    await second.code;
    const third = stack('--fresh');
    await ready(third.child);
    expect(third.output()).toContain('deploying the contracts');
    third.child.kill('SIGINT');
    expect(await third.code).toBe(0);
  });

  it('uses a database of its user, and refuses one that has read other chains', async () => {
    const database = await temporaryDatabase();
    const { url } = database;
    const first = stack('--fresh', '--database-url', url);
    expect((await ready(first.child)).databaseUrl).toBe(url);
    expect(existsSync(join(directory, 'state', 'postgres'))).toBe(false);
    const store = openStore({ databaseUrl: url, onIdleError: () => undefined });
    await orShowLog(
      waitUntil('a chain was read', async () => (await store.scan.cursor(31_337)) !== null, { timeoutMs: PATIENCE_MS }),
    );
    await store.close();
    first.child.kill('SIGINT');
    expect(await first.code).toBe(0);
    const second = stack('--fresh', '--database-url', url);
    expect(await second.code).toBe(1);
    expect(second.output()).toContain('belongs to an earlier run');
    await database.stop();
  });

  it('takes its children along even when it is killed', async () => {
    const { child, code } = stack();
    const info = await ready(child);
    child.kill('SIGKILL');
    await code;
    await allGone(info);
    const lock = join(directory, 'state', 'postgres', 'postmaster.pid');
    await waitUntil('PostgreSQL is gone', () => Promise.resolve(!existsSync(lock)));
    expect(await answers(info.ethereum.rpcUrl)).toBe(false);
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  });

  it('explains its options, and says what is wrong with one', async () => {
    const help = stack('--help');
    expect(await help.code).toBe(0);
    for (const option of [
      '--hold-seconds',
      '--eth-block-seconds',
      '--partner-block-seconds',
      '--port-base',
      '--database-url',
      '--fresh',
    ]) {
      expect(help.output()).toContain(option);
    }
    const wrong = stack('--port-base', 'abc');
    expect(await wrong.code).toBe(1);
    expect(wrong.output()).toContain('a port from 1 to 65000');
  });
});
