import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { alertsResponseSchema, overviewResponseSchema, relayersResponseSchema } from '@causeway/protocol/admin';
import { createPublicClient, http } from 'viem';
import { insertCompleted } from './rows.js';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// Reads of the console from the contracts of two real chains.

let bridge: TemporaryBridge;
let t: TemporaryAdmin;
let viewer: SignedIn;
beforeAll(async () => {
  bridge = await temporaryBridge();
  t = await temporaryAdmin(bridge);
  viewer = await t.signedIn('viewer');
  for (const side of ['ethereum', 'partner'] as const) {
    const head = await createPublicClient({ transport: http(bridge[side].url) }).getBlockNumber();
    await t.sql.query('UPDATE chain_cursor SET next_block = $2, read_at = now() WHERE chain_id = $1', [
      bridge.book[side].chainId,
      head + 1n,
    ]);
  }
  await insertCompleted(t.sql, 1, 'BURN', 'USDC');
  await insertCompleted(t.sql, 23, 'BURN', 'USDC');
  await insertCompleted(t.sql, 25, 'BURN', 'USDC');
  await insertCompleted(t.sql, 2, 'NATIVE_WITHDRAWAL', 'XCN');
});
afterAll(async () => {
  await t?.close();
  await bridge?.stop();
});

const overview = async () => overviewResponseSchema.parse((await viewer.get('/overview')).body);
const relayers = async () => relayersResponseSchema.parse((await viewer.get('/relayers')).body);

describe('the state of the contracts', () => {
  it('is in the overview, by a quorum of nodes', async () => {
    const { assets, chains } = await overview();
    for (const { asset, locked, supply, surplus, float } of assets) {
      expect({ asset, locked, supply }).toEqual({ asset, locked: expect.any(String), supply: expect.any(String) });
      expect(BigInt(surplus ?? -1)).toBe(BigInt(locked!) - BigInt(supply!));
      expect(float === null).toBe(asset !== 'XCN');
    }
    expect(chains.map(({ head }) => head !== null && head > 0)).toEqual([true, true]);
    expect(chains.map(({ head, nextBlock, lagBlocks }) => lagBlocks === Math.max(0, head! - nextBlock + 1))).toEqual([
      true,
      true,
    ]);
  });

  it('has a head that is not below the last read block', async () => {
    await t.sql.query('UPDATE chain_cursor SET next_block = next_block + 3');
    const { chains } = await overview();
    expect(chains.map(({ head, nextBlock, lagBlocks }) => [head! - nextBlock, lagBlocks])).toEqual([
      [-1, 0],
      [-1, 0],
    ]);
    await t.sql.query('UPDATE chain_cursor SET next_block = next_block - 3');
  });

  it('sums operations completed in the last 24 hours', async () => {
    const { assets } = await overview();
    expect(assets.map(({ asset, delivered24h, fees24h }) => [asset, delivered24h, fees24h])).toEqual([
      ['ETH', '0', '0'],
      ['USDC', '1950', '50'],
      ['XCN', '975', '25'],
    ]);
  });

  it("says whether the lease is held, by the database's clock", async () => {
    const isHeld = async () => [(await overview()).lease.isHeld, (await relayers()).lease.isHeld];
    expect(await isHeld()).toEqual([true, true]);
    await t.sql.query(`UPDATE lease SET expires_at = now() - interval '1 second'`);
    expect(await isHeld()).toEqual([false, false]);
    await t.sql.query(`UPDATE lease SET expires_at = now() + interval '1 hour'`);
  });

  it('names the current wallet of both contracts, with its balances', async () => {
    const { wallets, standby, attesters } = await relayers();
    const current = wallets.filter(({ isCurrent }) => isCurrent);
    expect(current.map(({ side, address }) => [side, address])).toEqual([
      ['ethereum', bridge.book.relayer],
      ['partner', bridge.book.relayer],
    ]);
    for (const { balance } of current) expect(BigInt(balance!)).toBeGreaterThanOrEqual(0n);
    expect(standby.map(({ side }) => side)).toEqual(['ethereum', 'partner']);
    expect(attesters!.threshold).toBeLessThanOrEqual(attesters!.addresses.length);
  });

  it('raises no alarm about an honest bridge', async () => {
    const { alerts } = alertsResponseSchema.parse((await viewer.get('/alerts')).body);
    expect(alerts.map(({ code }) => code)).not.toEqual(expect.arrayContaining(['Insolvent']));
    expect(alerts.map(({ code }) => code)).not.toContain('QuorumLost');
  });
});
