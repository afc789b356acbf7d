import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { aHash, waitUntil } from '@causeway/test-kit';
import { FenceLostError, openStore, type Fence, type Store, type WakeUp } from '../../src/index.js';
import { untilBlocked } from '../interleave.js';
import { temporaryStore, type TemporaryStore } from '../temporary-store.js';
import { anIntent, CLIENT } from '../../src/test/rows.js';

// Two relayers with separate stores: `t.store` has the lease first, `other` requests it.

const TTL_MS = 60_000;
let t: TemporaryStore;
let other: Store;
let name: string;
let count = 0;
let nextChain = 100;

beforeAll(async () => {
  t = await temporaryStore();
  other = openStore({ databaseUrl: t.url, onIdleError: () => undefined });
});
afterAll(async () => {
  await other.close();
  await t.close();
});
beforeEach(() => {
  name = `lease ${count++}`;
});

/** A fence of holder `a`. */
async function held(ttlMs = TTL_MS): Promise<Fence> {
  const fence = await t.store.lease.acquire(name, 'a', ttlMs);
  if (fence === null) throw new Error('The lease of this test is taken');
  return fence;
}

const renew = () => t.store.lease.acquire(name, 'a', TTL_MS);
const takeLease = () => other.lease.acquire(name, 'b', TTL_MS);
const expire = () => t.sql.query(`UPDATE lease SET expires_at = '-infinity' WHERE name = $1`, [name]);

/** A fenced write: begins the scan of a chain. */
const write = (fence: Fence, chainId = nextChain++) => t.store.scan.begin(fence, chainId, 1n);
const isWritten = async (chainId: number) => (await t.store.scan.cursor(chainId)) !== null;

/** Inserts the row of a chain without a commit, so that another writer of the row waits. */
async function holdChain(chainId: number) {
  const client = await t.sql.connect();
  await client.query('BEGIN');
  await client.query('INSERT INTO chain_cursor (chain_id, next_block, head_block) VALUES ($1, 1, 1)', [chainId]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

/** A fenced write that has checked its token and waits until `finish`. */
async function openWrite(fence: Fence) {
  const chainId = nextChain++;
  const release = await holdChain(chainId);
  const written = write(fence, chainId);
  await untilBlocked(t.sql, 1);
  return {
    finish: async () => {
      await release();
      await written;
      return isWritten(chainId);
    },
  };
}

describe('a renewal', () => {
  it('does not wait for a transaction of its own holder, however long it lasts', async () => {
    const fence = await held();
    const { finish } = await openWrite(fence);
    expect(await renew()).toEqual(fence);
    expect(await finish()).toBe(true);
  });

  it('does not wait for a connection while the stages use the whole pool', async () => {
    const fence = await held();
    const chainId = nextChain++;
    const release = await holdChain(chainId);
    const writes = Array.from({ length: 12 }, () => write(fence, chainId));
    await untilBlocked(t.sql, 10);
    expect(await renew()).toEqual(fence);
    await release();
    await Promise.all(writes);
    expect(await isWritten(chainId)).toBe(true);
  });

  it('in time keeps the lease, even while a takeover waits for the row', async () => {
    const fence = await held();
    await expire();
    const { finish } = await openWrite(fence);
    const taken = takeLease();
    await untilBlocked(t.sql, 2);
    expect(await renew()).toEqual(fence);
    expect(await finish()).toBe(true);
    expect(await taken).toBeNull();
    expect(await renew()).toEqual(fence);
  });
});

describe('another server, such as a promoted replica', () => {
  it('refuses writes of the lease, which its holder gets again with a new token', async () => {
    const fence = await held();
    await t.sql.query(`UPDATE lease SET server_started_at = now() WHERE name = $1`, [name]);
    await expect(write(fence)).rejects.toThrow(FenceLostError);
    expect(await takeLease()).toBeNull();
    const again = await held();
    expect(again).toEqual({ name, token: fence.token + 1n });
    expect(await renew()).toEqual(again);
    await write(again);
  });
});

describe('a takeover', () => {
  it("waits for the old holder's write, which is then its last one", async () => {
    const fence = await held();
    await expire();
    const { finish } = await openWrite(fence);
    const taken = takeLease();
    await untilBlocked(t.sql, 2);
    expect(await finish()).toBe(true);
    expect(await taken).toEqual({ name, token: fence.token + 1n });
    await expect(write(fence)).rejects.toThrow(FenceLostError);
  });

  it('prevents a write of the old holder that waits for it', async () => {
    const fence = await held();
    const chainId = nextChain++;
    const client = await t.sql.connect();
    // The takeover, with a pause before its commit.
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM lease WHERE name = $1 FOR UPDATE', [name]);
    await client.query(`UPDATE lease SET holder = 'b', token = token + 1 WHERE name = $1`, [name]);
    const written = write(fence, chainId);
    await untilBlocked(t.sql, 1);
    await client.query('COMMIT');
    client.release();
    await expect(written).rejects.toThrow(FenceLostError);
    expect(await isWritten(chainId)).toBe(false);
  });

  it('gives up while a transaction of the old holder is open, and succeeds after its end', async () => {
    const fence = await held();
    await expire();
    const { finish } = await openWrite(fence);
    expect(await takeLease()).toBeNull();
    await finish();
    expect(await takeLease()).toEqual({ name, token: fence.token + 1n });
  });

  it('gives the lease to one of many candidates', async () => {
    await held(0);
    const stores = Array.from({ length: 4 }, () => openStore({ databaseUrl: t.url, onIdleError: () => undefined }));
    const fences = await Promise.all(stores.map((store, index) => store.lease.acquire(name, `other ${index}`, TTL_MS)));
    expect(fences.filter((fence) => fence !== null)).toHaveLength(1);
    for (const store of stores) await store.close();
  });
});

describe('assertHeld', () => {
  it('accepts the fence until it is lost or was not renewed in time', async () => {
    const fence = await held();
    t.store.lease.assertHeld(fence);
    expect(() => t.store.lease.assertHeld({ ...fence, token: fence.token + 1n })).toThrow(FenceLostError);
    expect(() => other.lease.assertHeld(fence)).toThrow(FenceLostError);
    await t.store.lease.acquire(name, 'a', 0);
    expect(() => t.store.lease.assertHeld(fence)).toThrow(FenceLostError);
    await renew();
    t.store.lease.assertHeld(fence);
    await expire();
    await takeLease();
    expect(await renew()).toBeNull();
    expect(() => t.store.lease.assertHeld(fence)).toThrow(FenceLostError);
  });
});

describe('the listener', () => {
  it('receives writes of other processes at their commit, and reconnects after a lost connection', async () => {
    const received: WakeUp[] = [];
    const errors: Error[] = [];
    const listener = t.store.listen(
      (wakeUp) => received.push(wakeUp),
      (error) => errors.push(error),
    );
    const next = async () => {
      await waitUntil('the listener is called', () => received.length > 0);
      return received.splice(0);
    };
    expect(await next()).toEqual(['connected']);
    await other.halts.halt(1, 'not a chain that was read');
    expect(await next()).toEqual(['operator']);
    const terms = anIntent();
    const expiresAt = new Date(2_000_000_000_000);
    const keys = {
      nonce: aHash(),
      idempotencyKey: aHash(),
      deadlineSeconds: 2_000_000_000n,
      signature: '0x01' as const,
    };
    await other.intents.register(terms, { id: terms.id, sender: terms.sender, expiresAt, ...keys, ...CLIENT });
    expect(await next()).toEqual(['intents']);
    await other.intents.proposeOrigin(terms.id, aHash());
    expect(await next()).toEqual(['intents']);
    const fence = await held();
    await t.store.lease.release(fence);
    expect(await next()).toEqual(['lease']);
    await t.sql.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
    expect(await next()).toEqual(['connected']);
    expect(errors).toHaveLength(1);
    await other.operations.retry('0x00');
    expect(await next()).toEqual(['operator']);
    await listener.stop();
    await other.operations.retry('0x00');
    expect(received).toEqual([]);
  });
});
