import { describe, expect, it } from '@jest/globals';
import { aHash, anAddress, PARTNER, waitUntil } from '@causeway/test-kit';
import type { PoolClient } from 'pg';
import type { Hex } from 'viem';
import type { FollowedOperations, OperationTerms } from '../../src/index.js';
import { useStore } from '../temporary-store.js';
import { aDeposit, anIntent, CLIENT, opening } from '../../src/test/rows.js';

const t = useStore();

const NOTHING: FollowedOperations = { ids: [], originTxHashes: [], addresses: [] };

async function deposit(over: Partial<OperationTerms> = {}): Promise<OperationTerms> {
  const terms = aDeposit(over);
  await t.mine(terms.originChainId, { events: [opening(terms)] });
  return terms;
}

async function since(watermark: bigint, followed: Partial<FollowedOperations>): Promise<string[]> {
  const changes = await t.store.changes.since(watermark, { ...NOTHING, ...followed }, 100);
  return changes?.changed.map(({ operation }) => operation.id) ?? ['too many'];
}

/** A watermark past the changes of an operation. A transaction in another database of the server can hold it back. */
async function passWatermark(id: Hex): Promise<bigint> {
  let watermark = 0n;
  const isPassed = async () => {
    ({ watermark } = await t.store.changes.ofId(id));
    return (await since(watermark, { ids: [id] })).length === 0;
  };
  await waitUntil('the watermark passes the changes', isPassed);
  return watermark;
}

describe('changes of operations', () => {
  it('are found by id, transaction and address, and only once from the watermark on', async () => {
    const other = await deposit();
    const watermark = await passWatermark(other.id);
    const terms = await deposit();
    const { origin } = await t.operation(terms);
    const found = await t.store.changes.ofOriginTx(origin!.txHash);
    expect(found.changed).toMatchObject([{ operation: { id: terms.id, status: 'CONFIRMING' } }]);
    expect(new Set(found.changed[0]?.addresses)).toEqual(new Set([terms.sender, terms.recipient]));
    expect((await t.store.changes.ofId(terms.id)).changed).toEqual(found.changed);
    const end = await passWatermark(terms.id);
    for (const followed of [
      { ids: [terms.id] },
      { originTxHashes: [origin!.txHash] },
      { addresses: [terms.sender] },
      { addresses: [terms.recipient, other.sender], ids: [terms.id] },
    ]) {
      expect(await since(watermark, followed)).toEqual([terms.id]);
      expect(await since(end, followed)).toEqual([]);
    }
    expect((await t.store.changes.ofId(aHash())).changed).toEqual([]);
  });

  it('are not missed when their transaction commits after a later one', async () => {
    const [early, late] = [await deposit(), await deposit()];
    const client = await t.sql.connect();
    const confirm = (on: PoolClient | typeof t.sql, { id }: OperationTerms) =>
      on.query(`UPDATE operation SET origin_confirmations = origin_confirmations + 1 WHERE id = $1`, [id]);
    const followed = { ids: [early.id, late.id] };
    const { watermark: start } = await t.store.changes.ofId(early.id);
    await client.query('BEGIN');
    await confirm(client, early);
    await confirm(t.sql, late);
    const between = await t.store.changes.since(start, { ...NOTHING, ...followed }, 100);
    expect(between?.changed.map(({ operation }) => operation.id)).toEqual([late.id]);
    await client.query('COMMIT');
    client.release();
    expect(await since(between!.watermark, followed)).toContain(early.id);
    await passWatermark(early.id);
    await passWatermark(late.id);
  });

  it('of an intent concern its recipient only once it is paid', async () => {
    const terms = anIntent();
    const { watermark } = await t.store.changes.ofId(aHash());
    const terminal = { expiresAt: new Date(2_000_000_000_000), deadlineSeconds: 2_000_000_000n };
    const keys = { nonce: aHash(), idempotencyKey: aHash(), signature: '0x01' as const };
    const { id, sender } = terms;
    await t.store.intents.register(terms, { id, sender, ...terminal, ...keys, ...CLIENT });
    expect(await since(watermark, { addresses: [terms.sender] })).toEqual([id]);
    expect(await since(watermark, { addresses: [terms.recipient] })).toEqual([]);
    await t.sql.query(`UPDATE operation_party SET is_unproven = false WHERE operation_id = $1`, [id]);
    expect(await since(watermark, { addresses: [terms.recipient] })).toEqual([id]);
  });

  it('are refused beyond a bound', async () => {
    const { watermark } = await t.store.changes.ofId(aHash());
    for (let n = 0; n < 3; n += 1) await deposit();
    const followed = { ...NOTHING, addresses: [anAddress()] };
    expect(await t.store.changes.since(watermark, followed, 3)).toMatchObject({ changed: [] });
    expect(await t.store.changes.since(watermark, followed, 2)).toBeNull();
  });

  it('are announced at their commit, also to a listener that lost its connection', async () => {
    let calls = 0;
    const errors: Error[] = [];
    const listener = t.store.listenToOperations(
      () => (calls += 1),
      (error) => errors.push(error),
    );
    const next = async () => {
      await waitUntil('the listener is called', () => calls > 0);
      calls = 0;
    };
    await next();
    const terms = await deposit();
    await next();
    await t.mine(PARTNER);
    expect(calls).toBe(0);
    await t.sql.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
    await next();
    expect(errors).toHaveLength(1);
    await t.finalize(terms, await t.mine(terms.originChainId));
    await deposit();
    await next();
    await listener.stop();
  });
});
