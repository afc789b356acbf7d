import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@causeway/test-kit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connect } from './setup/messages.js';
import { startTestGateway, type TestGateway } from './setup/gateway.js';

const call = (method: string, params: readonly unknown[] = [], id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const post = ({ url }: TestGateway, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('Shutdown', () => {
  let gateway: TestGateway;
  afterEach(async () => {
    gateway.methods.release();
    await gateway.close();
  });
  const waiting = (calls: number) => waitUntil('the calls wait', () => gateway.methods.waiting === calls);

  it('answers the calls in flight, closes WebSockets with 1001, and closes the backend last', async () => {
    gateway = await startTestGateway();
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    const closed = once(socket, 'close');
    const answered = once(socket, 'message');
    socket.send(call('test_wait'));
    const slow = Array.from({ length: 20 }, () => post(gateway, call('test_wait')));
    await waiting(21);

    const ended = gateway.close();
    const isReached = () => post(gateway, call('test_echo')).then((response) => response.ok);
    await waitUntil('it is not reached', async () => !(await isReached().catch(() => false)));
    await expect(isReached()).rejects.toThrow('fetch failed');
    expect(gateway.backend.closed).toBe(false);
    gateway.methods.release();
    for (const response of await Promise.all(slow)) {
      expect(await response.text()).toContain('released');
      expect(response.headers.get('connection')).toBe('close');
    }
    expect(String((await answered)[0])).toContain('released');
    expect((await closed)[0]).toBe(1001);
    await ended;
    expect(gateway.backend.closed).toBe(true);
  });

  it('refuses new calls on open connections with -32002 meanwhile', async () => {
    gateway = await startTestGateway();
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    const closed = once(socket, 'close');
    socket.send(call('test_wait'));
    await waiting(1);
    const ended = gateway.close();
    const answers: unknown[] = [];
    socket.on('message', (data: Buffer) => answers.push(JSON.parse(data.toString())));
    await waitUntil('it refuses', async () => {
      socket.send(call('test_echo', [], 'late'));
      await once(socket, 'message');
      return answers.some((answer) => 'error' in (answer as object));
    });
    expect(answers.at(-1)).toMatchObject({ id: 'late', error: { code: -32002 } });
    gateway.methods.release();
    await Promise.all([closed, ended]);
  });

  it('does not wait for a call beyond the timeout', async () => {
    gateway = await startTestGateway({ SHUTDOWN_TIMEOUT_MS: '300' });
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    const closed = once(socket, 'close');
    socket.send(call('test_wait'));
    const stuck = post(gateway, call('test_wait')).catch((error: unknown) => error);
    await waiting(2);
    const startedAt = performance.now();
    await gateway.close();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect((await closed)[0]).toBe(1001);
    expect(await stuck).toMatchObject({ message: 'fetch failed' });
    expect(gateway.backend.closed).toBe(true);
  });

  it('does not wait beyond the timeout for a peer that does not read', async () => {
    gateway = await startTestGateway();
    const socket = await connect(`${gateway.webSocketUrl}/ws`);
    socket.send(call('test_text', [50_000_000]));
    socket.pause();
    await sleep(100);
    const startedAt = performance.now();
    await gateway.close();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    socket.terminate();
  });

  it('loses no call behind a load balancer that checks readiness', async () => {
    gateway = await startTestGateway();
    const other = await startTestGateway();
    const isReady = async () => (await fetch(`${gateway.url}/health/ready`)).status === 200;
    const balancer = { target: gateway };
    const answers: string[] = [];
    const going = new AbortController();
    const callers = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (!going.signal.aborted) {
          const response = await post(balancer.target, call('test_sleep', [5]));
          answers.push(JSON.parse(await response.text()).result);
        }
      }),
    );
    await waitUntil('calls are answered', () => answers.length > 200);
    const ended = gateway.gateway.close(500);
    const closing = await post(gateway, call('test_echo'));
    expect(closing.headers.get('connection')).toBe('close');
    await waitUntil('it is not ready', async () => !(await isReady()));
    balancer.target = other;
    await ended;
    going.abort();
    await callers;
    await other.close();
    expect(new Set(answers)).toEqual(new Set(['slept']));
    expect(other.methods.sleeps).toBeGreaterThan(0);
  });

  it('loses no call under load', async () => {
    gateway = await startTestGateway();
    const outcomes = { answered: 0, refused: 0, unreached: 0 };
    const going = new AbortController();
    const caller = async () => {
      while (!going.signal.aborted) {
        try {
          const response = await post(gateway, call('test_sleep', [20]));
          const { result, error } = JSON.parse(await response.text());
          if (result === 'slept') outcomes.answered += 1;
          else if (error.code === -32002) outcomes.refused += 1;
          else throw new Error(`Answered ${JSON.stringify(error)}`);
        } catch (error) {
          // Once connections are not accepted, the system refuses or resets them.
          if ((error as Error).message !== 'fetch failed') throw error;
          outcomes.unreached += 1;
          return;
        }
      }
    };
    const callers = Promise.all(Array.from({ length: 20 }, caller));
    try {
      await Promise.race([callers, waitUntil('calls are answered', () => outcomes.answered > 50)]);
      await gateway.close();
      await callers;
    } finally {
      going.abort();
    }
    expect(outcomes.answered).toBeGreaterThan(50);
    expect(outcomes.answered).toBe(gateway.methods.sleeps);
    expect(outcomes.unreached).toBe(20);
  });
});
