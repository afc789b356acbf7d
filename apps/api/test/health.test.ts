import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { healthResponseSchema, stateResponseSchema } from '@causeway/protocol/rest';
import { anAddressBook, ETHEREUM, PARTNER, startAnvil, waitUntil, type Anvil } from '@causeway/test-kit';
import { Client } from 'pg';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';

describe('GET /health', () => {
  let nodes: { ethereum: Anvil; partner: Anvil };
  let api: TemporaryApi;
  beforeAll(async () => {
    const [ethereum, partner] = await Promise.all([
      startAnvil({ chainId: ETHEREUM }),
      startAnvil({ chainId: PARTNER }),
    ]);
    nodes = { ethereum, partner };
    api = await temporaryApi({ ...nodes, book: anAddressBook() });
  });
  afterEach(async () => {
    for (const halt of await api.store.halts.list()) await api.store.halts.lift(halt);
    await api.store.lease.acquire('relayer', 'test', 600_000);
  });
  afterAll(async () => {
    await api.close();
    await Promise.all([nodes.ethereum.stop(), nodes.partner.stop()]);
  });

  const health = async () => {
    const { status, body } = await api.get('/health');
    return { status, report: healthResponseSchema.parse(body) };
  };

  it('is healthy when the database, both nodes and a relayer answer, at both paths', async () => {
    const { status, report } = await health();
    expect(status).toBe(200);
    const up = { connected: true, latencyMs: expect.any(Number) };
    const rpc = { ...up, nodes: { configured: 1, usable: 1, required: 1 } };
    expect(report).toEqual({
      status: 'healthy',
      components: { database: up, ethereumRpc: rpc, partnerRpc: rpc, relayer: { connected: true, latencyMs: null } },
    });
    expect((await api.get('/api/v1/health')).status).toBe(200);
  });

  it('is ready while the database answers, whatever the relayer does, and lives', async () => {
    await api.store.lease.release(api.fence);
    for (const prefix of ['', '/api/v1']) {
      const ready = await api.get(`${prefix}/health/ready`);
      expect(ready).toMatchObject({
        status: 200,
        body: { status: 'healthy', components: { database: { connected: true } } },
      });
      expect(ready.headers['cache-control']).toBe('no-store');
      expect(await api.get(`${prefix}/health/live`)).toMatchObject({ status: 200, body: { status: 'healthy' } });
    }
  });

  it('is not ready while its clock is far from that of the database', async () => {
    const clock = jest.spyOn(Date, 'now');
    for (const [seconds, status] of [
      [3_600, 503],
      [-31, 503],
      [29, 200],
    ] as const) {
      clock.mockImplementation(() => performance.timeOrigin + performance.now() + seconds * 1_000);
      expect((await api.get('/health/ready')).status).toBe(status);
    }
    clock.mockRestore();
  });

  it('is neither healthy nor ready while tables are missing or too new for this program', async () => {
    const sql = new Client({ connectionString: api.databaseUrl });
    await sql.connect();
    const database = { connected: false, latencyMs: null };
    const isDown = async () => {
      expect(await health()).toMatchObject({ status: 503, report: { status: 'unhealthy', components: { database } } });
      expect(await api.get('/health/ready')).toMatchObject({
        status: 503,
        body: { status: 'unhealthy', components: { database } },
      });
    };
    await sql.query('ALTER SCHEMA public RENAME TO elsewhere; CREATE SCHEMA public');
    await isDown();
    await sql.query('DROP SCHEMA public; ALTER SCHEMA elsewhere RENAME TO public');
    expect((await health()).status).toBe(200);
    await sql.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('9', '9', '9_new', now());
       INSERT INTO schema_compatibility VALUES ('9_new', '9_new')`,
    );
    await isDown();
    await sql.query(`UPDATE schema_compatibility SET oldest_program = '1' WHERE migration = '9_new'`);
    expect((await api.get('/health/ready')).status).toBe(200);
    await sql.end();
  });

  it('is unhealthy with the same shape when no relayer holds the lease', async () => {
    await api.store.lease.release(api.fence);
    const { status, report } = await health();
    expect(status).toBe(503);
    expect(report).toMatchObject({
      status: 'unhealthy',
      components: { database: { connected: true }, relayer: { connected: false, latencyMs: null } },
    });
  });

  it('is unhealthy with a read-only database, and says so', async () => {
    const sql = new Client({ connectionString: api.databaseUrl });
    await sql.connect();
    const { rows } = await sql.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
    const setReadOnly = async (isReadOnly: boolean) => {
      await sql.query('SET default_transaction_read_only = off');
      await sql.query(`ALTER DATABASE ${rows[0]?.name} SET default_transaction_read_only = ${isReadOnly}`);
      await sql.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };
    await setReadOnly(true);
    const away = await waitUntil('it is known', async () => {
      const { status, report } = await health();
      return report.components['database']?.problem === undefined ? null : { status, report };
    });
    await setReadOnly(false);
    await sql.end();
    expect(away).toMatchObject({
      status: 503,
      report: { components: { database: { connected: false, problem: 'It answers and takes no writes.' } } },
    });
    await waitUntil('it takes writes again', async () => (await health()).status === 200);
  });

  it('is unhealthy while a chain is halted, and does not publish the reason', async () => {
    await api.store.halts.halt(PARTNER, 'a secret reason');
    const { status, report } = await health();
    expect(status).toBe(503);
    expect(report.halts).toEqual([{ chainId: PARTNER, since: expect.any(String) }]);
    expect(JSON.stringify(report)).not.toContain('secret');
  });

  it('is unhealthy while the deliveries are halted, on both chains', async () => {
    await api.store.halts.haltDeliveries('a secret reason');
    const { status, report } = await health();
    await api.store.halts.liftDeliveries((await api.store.halts.deliveries())!, []);
    expect(status).toBe(503);
    expect(report.halts?.map(({ chainId }) => chainId)).toEqual([ETHEREUM, PARTNER]);
    expect(JSON.stringify(report)).not.toContain('secret');
    expect((await health()).status).toBe(200);
  });

  it('agrees with GET /bridge/state, which is always 200 and renewed after three seconds', async () => {
    const state = async () => {
      const { status, body, headers } = await api.get('/api/v1/bridge/state');
      expect({ status, cached: headers['cache-control'] }).toEqual({ status: 200, cached: 'public, max-age=3' });
      return stateResponseSchema.parse(body);
    };
    const first = await state();
    const block = { number: 0, time: expect.any(String), ageSeconds: expect.any(Number) };
    const up = { connected: true, problem: null, newestBlock: block };
    expect(first).toMatchObject({
      chains: { ethereum: { chainId: ETHEREUM, ...up }, partner: { chainId: PARTNER, ...up } },
      relayer: { connected: true, problem: null },
    });
    await api.store.lease.release(api.fence);
    await api.store.halts.halt(PARTNER, 'a secret reason');
    expect(await state()).toEqual(first);
    const later = await waitUntil('it is renewed', async () => {
      const now = await state();
      return now.relayer.connected ? null : now;
    });
    expect(later).toMatchObject({
      chains: { ethereum: { connected: true }, partner: { connected: false, problem: expect.any(String) } },
      relayer: { connected: false, problem: expect.stringContaining('No relayer is running') },
    });
    expect(JSON.stringify(later)).not.toContain('secret');
  });
});

describe('the API without nodes and mirrors', () => {
  let api: TemporaryApi;
  beforeAll(async () => {
    api = await temporaryApi(undefined, { MIRROR_URL: 'http://127.0.0.1:9' });
  });
  afterAll(async () => api.close());

  it('reports all of them as down', async () => {
    const { status, body } = await api.get('/health');
    expect(status).toBe(503);
    expect(healthResponseSchema.parse(body).components).toMatchObject({
      database: { connected: true },
      ethereumRpc: { connected: false, nodes: { configured: 1, usable: 0, required: 1 } },
      partnerRpc: { connected: false, nodes: { configured: 1, usable: 0, required: 1 } },
      mirrorNode: { connected: false, latencyMs: null },
    });
  });

  it('shows a state with its unknown parts null, and every direction closed', async () => {
    const { status, body } = await api.get('/api/v1/bridge/state');
    expect(status).toBe(200);
    const { chains, relayer, directions, assets, ...rest } = stateResponseSchema.parse(body);
    const away = { connected: false, problem: 'Too few of its nodes answer.', newestBlock: null };
    expect(chains).toMatchObject({ ethereum: away, partner: away });
    expect(relayer).toEqual({ connected: true, problem: null });
    expect(rest).toEqual({ time: expect.any(String), attesters: null, announcements: null });
    expect(directions).toHaveLength(6);
    for (const each of directions)
      expect(each).toMatchObject({ open: false, reason: 'CHAIN_AWAY', until: null, limit: null });
    expect(assets).toHaveLength(3);
    for (const each of assets) expect(each).toMatchObject({ locked: null, supply: null, float: null, isCovered: null });
  });

  it.each(['/api/v1/bridge/limits', '/api/v1/bridge/fee-quote?token=ETH&amount=1&direction=ETHEREUM_TO_PARTNER'])(
    'answers 503 at %s because the contracts cannot be read',
    async (path) => {
      expect(await api.get(path)).toEqual(refusal(503, 'SERVICE_UNAVAILABLE'));
    },
  );
});
