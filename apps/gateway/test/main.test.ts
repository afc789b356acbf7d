import { execFile, fork, type ChildProcess, type IOType } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayVariables } from '../src/config/environment.js';
import { connect } from './setup/messages.js';

// The deployed program, made by `build`.
const main = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));

/** Runs it until it exits. */
const run = (args: readonly string[], env: Record<string, string>) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [main, ...args], { env, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
  });

describe('The program', () => {
  let directory: string;
  let child: ChildProcess | null = null;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-'));
  });
  afterEach(async () => {
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    child = null;
    await rm(directory, { recursive: true, force: true });
  });

  const start = async (output: IOType | number = 'pipe') => {
    const stdio = ['ignore', output, output, 'ipc'] as const;
    child = fork(main, [], { env: { PORT: '0', DATA_DIRECTORY: join(directory, 'chain') }, stdio: [...stdio] });
    const [url] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
    return { child, url: url as string };
  };
  const chainId = async (url: string) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await response.json()) as { result: string }).result;
  };

  it('explains every variable', async () => {
    const { code, output } = await run(['--help'], {});
    expect(code).toBe(0);
    for (const name of Object.keys(gatewayVariables.shape)) expect(output).toContain(name);
  });

  it('says in one line that an old Node is too old', async () => {
    const old = 'Object.defineProperty(process.versions,"node",{value:"22.1.0"})';
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [`--import=data:text/javascript,${old}`, main], { env: {} }, (error, stdout, stderr) =>
        resolve(`${String(error?.code)} ${stdout}${stderr}`),
      );
    });
    expect(output).toMatch(/^1 The gateway needs Node\.js 24 or newer, .*\n$/);
  });

  it('names the invalid variables and exits', async () => {
    const { code, output } = await run([], { PORT: '70000', LOG_LEVEL: 'loud' });
    expect(code).toBe(78);
    expect(output).toContain('PORT');
    expect(output).toContain('LOG_LEVEL');
    expect(output).not.toContain('    at ');
  });

  it('does not start with an invalid API key file, and writes no chain', async () => {
    const keys = join(directory, 'keys.json');
    await writeFile(keys, '[{"name":"relayer"}]');
    const chain = join(directory, 'chain');
    const { code, output } = await run([], { PORT: '0', DATA_DIRECTORY: chain, API_KEYS_FILE: keys });
    expect(code).not.toBe(0);
    expect(output).toContain(`${keys} has an invalid entry: [0].sha256 must be the SHA-256 of a key`);
    expect(output).not.toContain('    at ');
    expect(existsSync(chain)).toBe(false);
  });

  it('prints a new key and its entry', async () => {
    const { code, output } = await run(['key', 'relayer'], {});
    expect(code).toBe(0);
    const { key, entry } = JSON.parse(output) as { readonly key: string; readonly entry: unknown };
    expect(entry).toEqual({ name: 'relayer', sha256: createHash('sha256').update(key).digest('hex') });
    const refused = await run(['key', 'No Name'], {});
    expect([refused.code === 0, refused.output]).toEqual([false, expect.stringContaining('The name of a key must')]);
  });

  it('sends its address to its parent, serves the chain, and exits on SIGTERM', async () => {
    const { child: gateway, url } = await start();
    expect(await chainId(url)).toBe('0x22c5');
    const socket = await connect(`${url.replace('http', 'ws')}/ws`);
    const closed = once(socket, 'close');
    const exited = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    expect((await closed)[0]).toBe(1001);
    expect(await exited).toEqual([0, null]);
  });

  it('serves while its log is blocked, and shuts down in order when its terminal closes', async () => {
    const full = openSync('/dev/full', 'w');
    const { child: gateway, url } = await start(full);
    closeSync(full);
    expect(await chainId(url)).toBe('0x22c5');
    const socket = await connect(`${url.replace('http', 'ws')}/ws`);
    const closed = once(socket, 'close');
    const exited = once(gateway, 'exit');
    // The terminal sends it, and so does its shell.
    gateway.kill('SIGHUP');
    gateway.kill('SIGHUP');
    expect((await closed)[0]).toBe(1001);
    expect(await exited).toEqual([0, null]);
  });

  it('exits with its parent, and then resumes its chain', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { child: gateway, url } = await start();
      expect(await chainId(url)).toBe('0x22c5');
      const exited = once(gateway, 'exit');
      gateway.disconnect();
      expect(await exited).toEqual([0, null]);
    }
  });
});
