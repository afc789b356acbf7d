import { once } from 'node:events';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitUntil, type GatewayProcess } from '@causeway/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { ask, askSocket, batch, bearer, call, KeyedGateways, post, readKeyMetrics } from './setup/keyed-gateway.js';
import { connect } from './setup/messages.js';

// Changes the API key file while the compiled gateway runs.

describe('The file of API keys', () => {
  let keyed: KeyedGateways;
  const sockets: WebSocket[] = [];
  const open = async (gateway: GatewayProcess, authorization: string) => {
    const socket = await connect(gateway.wsUrl, { headers: { authorization } });
    sockets.push(socket);
    return socket;
  };
  const readStatus = async (gateway: GatewayProcess, authorization: string) =>
    (await post(gateway, call(), authorization)).status;
  const becomes = (gateway: GatewayProcess, key: string, status: number) =>
    waitUntil(`the key gets ${status}`, async () => (await readStatus(gateway, bearer(key))) === status);

  beforeEach(() => {
    keyed = new KeyedGateways();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await keyed.stop();
  });

  it('is reloaded when it changes: an added key becomes valid, a removed one invalid, even on open WebSockets', async () => {
    const first = keyed.add('first', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start();
    const socket = await open(gateway, bearer(first));
    const closed = once(socket, 'close');
    const anonymous = await connect(gateway.wsUrl);
    sockets.push(anonymous);

    const second = keyed.add('second', { unlimited: true });
    keyed.write();
    await becomes(gateway, second, 200);
    expect(await askSocket(socket)).toEqual([0]);
    const stays = await open(gateway, bearer(second));

    keyed.remove('first');
    keyed.write();
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1008, 'the API key is not valid']);
    expect(await readStatus(gateway, bearer(first))).toBe(401);
    await expect(connect(gateway.wsUrl, { headers: { authorization: bearer(first) } })).rejects.toThrow('401');
    expect(await askSocket(stays)).toEqual([0]);
    expect(await askSocket(anonymous)).toEqual([0]);
  });

  it('is reloaded on SIGHUP: a key replaced under its name is revoked, and limits change on open WebSockets', async () => {
    const old = keyed.add('partner', { unlimited: true });
    const other = keyed.add('other', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start();
    const ends = once(await open(gateway, bearer(old)), 'close');
    const stays = await open(gateway, bearer(other));
    const replaced = keyed.add('partner');
    keyed.change('other', { perMinute: 3 });
    keyed.write();
    process.kill(gateway.pid, 'SIGHUP');
    expect((await ends)[0]).toBe(1008);
    expect(await readStatus(gateway, bearer(replaced))).toBe(200);
    expect(await askSocket(stays, batch(4))).toEqual([0, 0, 0, -32005]);
    expect(gateway.running()).toBe(true);
  });

  it('keeps counting for a key when another entry changes', async () => {
    const key = keyed.add('partner', { perMinute: 5 });
    keyed.write();
    const gateway = await keyed.start();
    expect(await ask(gateway, batch(5), bearer(key))).toEqual([0, 0, 0, 0, 0]);
    const other = keyed.add('other');
    keyed.write();
    process.kill(gateway.pid, 'SIGHUP');
    await becomes(gateway, other, 200);
    expect(await ask(gateway, call(), bearer(key))).toEqual([-32005]);
  });

  it('keeps its previous content while invalid, which is logged and counted', async () => {
    const key = keyed.add('relayer', { unlimited: true });
    keyed.write();
    const gateway = await keyed.start();
    const failures = async () =>
      Number(
        (await readKeyMetrics(gateway))
          .find((line) => line.includes('key_file_failures_total'))
          ?.split(' ')
          .at(-1),
      );
    expect(await failures()).toBe(0);
    keyed.write(`[{"name":"relayer","sha256":"${key}"}]`);
    await waitUntil('it is refused', async () => (await failures()) > 0);
    expect(await readStatus(gateway, bearer(key))).toBe(200);
    const logged = gateway
      .printed()
      .split('\n')
      .filter((line) => line.includes('Kept the previous API keys'));
    expect(logged.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: 50,
        problem: `API_KEYS_FILE must be a list of API keys (JSON); ${keyed.path} has an invalid entry: [0].sha256 must be the SHA-256 of a key, in 64 lower-case hex digits`,
      }),
    );
    expect(gateway.printed()).not.toContain(key);
    keyed.remove('relayer');
    keyed.write();
    await becomes(gateway, key, 401);
  });

  it('can be a symlink whose target changes, like a mounted secret', async () => {
    const folder = dirname(keyed.path);
    const publish = (version: string, text: string) => {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'linked.json'), text);
      symlinkSync(version, join(folder, 'data.new'));
      renameSync(join(folder, 'data.new'), join(folder, 'data'));
    };
    publish('one', '[]');
    symlinkSync(join('data', 'linked.json'), join(folder, 'linked.json'));
    const gateway = await keyed.start({ API_KEYS_FILE: join(folder, 'linked.json') });
    const key = keyed.add('relayer');
    expect(await readStatus(gateway, bearer(key))).toBe(401);
    publish('two', keyed.text);
    await becomes(gateway, key, 200);
  });

  it('exports the usage of each key as metrics, from 0 on and until it is removed', async () => {
    const key = keyed.add('relayer', { perMinute: 4, connections: 1 });
    keyed.add('idle');
    keyed.write();
    const gateway = await keyed.start();
    await ask(gateway, batch(7), bearer(key));
    await open(gateway, bearer(key));
    await expect(connect(gateway.wsUrl, { headers: { authorization: bearer(key) } })).rejects.toThrow('429');
    expect(await readKeyMetrics(gateway)).toEqual(
      expect.arrayContaining([
        'causeway_gateway_key_calls_total{key="relayer"} 4',
        'causeway_gateway_key_calls_total{key="idle"} 0',
        'causeway_gateway_key_refusals_total{key="relayer",reason="rate"} 3',
        'causeway_gateway_key_refusals_total{key="relayer",reason="connections"} 1',
        'causeway_gateway_key_refusals_total{key="idle",reason="rate"} 0',
      ]),
    );
    keyed.remove('relayer');
    keyed.write();
    await becomes(gateway, key, 401);
    const left = (await readKeyMetrics(gateway)).filter((line) => line.includes('key="'));
    expect(left).toHaveLength(3);
    expect(left.join()).not.toContain('relayer');
  });
});
