import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { environmentVariables } from '../src/config/environment-variables.js';
import { forkGateway } from './processes/fork-gateway.js';
import { connect } from './transport/ask.js';
import { waitUntil } from './transport/wait-until.js';

// The program as it is deployed; `build` makes it.
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Runs it until it ends by itself. */
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

  const start = async () => {
    child = fork(main, [], { env: { PORT: '0', DATA_DIRECTORY: join(directory, 'chain') }, silent: true });
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
    for (const name of Object.keys(environmentVariables.shape)) expect(output).toContain(name);
  });

  it('leaves its heap alone while there is nothing to do', async () => {
    const gateway = await forkGateway({ DATA_DIRECTORY: join(directory, 'chain') }, [
      '--trace-memory-reducer',
      '--gc-memory-reducer-start-delay-ms=300',
    ]);
    try {
      // After the delay that it was started with, V8 would have looked whether it is a good moment, and said so.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(gateway.printed()).not.toContain('Memory reducer');
    } finally {
      await gateway.stop();
    }
  });

  it.each([
    ['before nodes, far', { BACKEND: 'upstream', UPSTREAM_URLS: 'http://127.0.0.1:9', CHAIN_ID: '8901' }, true],
    ['with its own chain, as far as V8 thinks best', {}, false],
  ])('lets its heap grow: %s', async (_, env, far) => {
    const gateway = await forkGateway({ DATA_DIRECTORY: join(directory, 'chain'), ...env }, [
      '--trace-gc-verbose',
      '--expose-gc',
      // Again and again: where nearly nothing was made since the one before, V8's own measure of how far the heap may grow is small.
      '--import=data:text/javascript,let n=0;const t=setInterval(()=>{gc();if(++n===400)clearInterval(t)},250)',
    ]);
    const begun = gateway.printed().length;
    const factors = () =>
      gateway
        .printed()
        .slice(begun)
        .match(/(?<=HeapController\] factor )[\d.]+/g) ?? [];
    try {
      if (far) {
        await waitUntil('the heap is collected', () => factors().length >= 8);
        expect(new Set(factors())).toEqual(new Set(['4.0']));
      } else {
        await waitUntil('V8 lets the heap grow by less', () => factors().some((factor) => factor !== '4.0'));
      }
    } finally {
      await gateway.stop();
    }
  });

  it('names what is wrong and ends', async () => {
    const { code, output } = await run([], { PORT: '70000', LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(output).toContain('PORT');
    expect(output).toContain('LOG_LEVEL');
    expect(output).not.toContain('    at ');
  });

  it('tells its parent where it listens, serves the chain, and ends on SIGTERM', async () => {
    const { child: gateway, url } = await start();
    expect(await chainId(url)).toBe('0x22c5');
    const socket = await connect(`${url.replace('http', 'ws')}/ws`);
    const closed = once(socket, 'close');
    const exited = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    expect((await closed)[0]).toBe(1001);
    expect(await exited).toEqual([0, null]);
  });

  it('ends with its parent, and goes on where it was', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { child: gateway, url } = await start();
      expect(await chainId(url)).toBe('0x22c5');
      const exited = once(gateway, 'exit');
      gateway.disconnect();
      expect(await exited).toEqual([0, null]);
    }
  });
});
