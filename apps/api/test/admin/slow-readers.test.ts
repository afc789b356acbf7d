import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { BUSY, fillStore } from '../../../../packages/store/bench/large-store.js';
import { CONSOLE, temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// Export clients that do not read must not affect other requests.

let t: TemporaryAdmin;
let viewer: SignedIn;

beforeAll(async () => {
  t = await temporaryAdmin();
  await t.sql.query('DELETE FROM chain_cursor');
  await fillStore(t.sql, { ended: 10_000, pending: 1 });
  viewer = await t.signedIn('viewer');
});
afterAll(async () => t?.close());

describe('exports that no client reads', () => {
  const sockets: Socket[] = [];
  afterAll(() => sockets.forEach((socket) => socket.destroy()));

  /** Requests the export without reading the body. Returns the head as soon as it arrives. */
  async function askAndWait(port: number): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(`GET /api/v1/admin/operations.csv HTTP/1.1\r\nHost: localhost\r\nCookie: ${viewer.cookie}\r\n\r\n`);
    await once(socket, 'readable');
    return String(socket.read());
  }

  it('do not affect the public API, health and sign-in, and are limited', async () => {
    await t.admin.listen(0, '127.0.0.1');
    const { port } = t.admin.getHttpServer().address() as AddressInfo;
    const heads = await Promise.all(Array.from({ length: 14 }, async () => askAndWait(port)));
    const { rows } = await t.sql.query<{ id: Hex }>(`SELECT id FROM operation WHERE kind = 'DEPOSIT' LIMIT 1`);
    const answers = await Promise.all([
      t.get(`/api/v1/bridge/status?depositId=${rows[0]?.id}`),
      t.get(`/api/v1/bridge/history?address=${BUSY}`),
      t.send({ method: 'POST', url: '/sign-in/nonce', headers: { origin: CONSOLE } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await t.get('/api/v1/health')).toMatchObject({ body: { components: { database: { connected: true } } } });
    const statuses = heads.map((head) => head.slice(9, 12)).toSorted();
    expect(statuses).toEqual([...Array<string>(4).fill('200'), ...Array<string>(10).fill('503')]);
    for (const head of heads.filter((each) => each.includes(' 503 ')))
      expect(head).toMatch(/\r\nretry-after: \d+\r\n/i);
    for (const socket of sockets) socket.destroy();
    await waitUntil(
      'an export is sent again',
      async () => (await viewer.get('/operations.csv?status=EXPIRED')).status === 200,
    );
  });
});
