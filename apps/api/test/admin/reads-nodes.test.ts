import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { alertsResponseSchema, overviewResponseSchema, relayersResponseSchema } from '@causeway/protocol/admin';
import { Pool } from 'pg';
import { createPublicClient, http } from 'viem';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// What the console reads from the contracts, on two real chains.

let bridge: TemporaryBridge;
let t: TemporaryAdmin;
let viewer: SignedIn;
beforeAll(async () => {
  bridge = await temporaryBridge();
  t = await temporaryAdmin(bridge);
  viewer = await t.signedIn('viewer');
  const sql = new Pool({ connectionString: t.databaseUrl, max: 1 });
  for (const side of ['ethereum', 'partner'] as const) {
    const head = await createPublicClient({ transport: http(bridge[side].url) }).getBlockNumber();
    const { chainId } = bridge.book[side];
    await sql.query('UPDATE chain_cursor SET next_block = $2, read_at = now() WHERE chain_id = $1', [
      chainId,
      head + 1n,
    ]);
  }
  await sql.end();
});
afterAll(async () => {
  await t?.close();
  await bridge?.stop();
});

describe('the state of the contracts', () => {
  it('is in the overview, by the agreement of the nodes', async () => {
    const { assets, chains } = overviewResponseSchema.parse((await viewer.get('/overview')).body);
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

  it('has a head that is never below the last block that was read', async () => {
    await t.sql.query('UPDATE chain_cursor SET next_block = next_block + 3');
    const { chains } = overviewResponseSchema.parse((await viewer.get('/overview')).body);
    expect(chains.map(({ head, nextBlock, lagBlocks }) => [head! - nextBlock, lagBlocks])).toEqual([
      [-1, 0],
      [-1, 0],
    ]);
    await t.sql.query('UPDATE chain_cursor SET next_block = next_block - 3');
  });

  it('names the current wallet of both contracts, with its balances', async () => {
    const { wallets, standby, attesters } = relayersResponseSchema.parse((await viewer.get('/relayers')).body);
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
