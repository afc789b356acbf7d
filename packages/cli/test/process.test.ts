import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

// The built program as a process: signals, pipes, and no dependency outside its files.

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const HASH = `0x${'ab'.repeat(32)}`;

/** An API without operations that counts requests. */
let server: Server;
let asked: () => void = () => undefined;
const isAsked = new Promise<void>((resolve) => {
  asked = resolve;
});
beforeAll(async () => {
  server = createServer((request, response) => {
    const isHistory = request.url?.includes('history') === true;
    const page = { operations: [], pagination: { limit: 10, offset: 0, hasMore: false, nextCursor: null } };
    const refusal = { error: 'OPERATION_NOT_FOUND', message: 'unknown' };
    response.writeHead(isHistory ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isHistory ? page : refusal));
    if (!isHistory) asked();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function start(words: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { CAUSEWAY_API: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1` },
  });
  child.stdin.end();
  return { child, code: new Promise<number | null>((resolve) => child.once('close', resolve)) };
}

describe('the program', () => {
  it('exits with 130 when interrupted', async () => {
    const { child, code } = start(['status', HASH, '--watch', '--json']);
    const errors = text(child.stderr);
    await isAsked;
    child.kill('SIGINT');
    expect(await code).toBe(130);
    expect(JSON.parse(await errors)).toMatchObject({ error: 'InterruptedError' });
  });

  it('does not fail when the reader closes the pipe', async () => {
    const { child, code } = start(['completion', 'bash']);
    child.stdout.destroy();
    const errors = text(child.stderr);
    expect({ code: await code, errors: await errors }).toEqual({ code: 0, errors: '' });
  });

  it('exits with the code of a failure', async () => {
    const { code } = start(['status', HASH]);
    expect(await code).toBe(4);
  });

  it('recognizes a usage error after minification', async () => {
    const { child, code } = start(['--nonsense', '--json']);
    const failure = JSON.parse(await text(child.stderr)) as object;
    expect(failure).toMatchObject({
      error: 'UsageError',
      field: 'nonsense',
      message: expect.not.stringMatching(/^error/),
    });
    expect(await code).toBe(2);
  });
});
