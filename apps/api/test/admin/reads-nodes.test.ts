import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { alertsResponseSchema, overviewResponseSchema, relayersResponseSchema } from '@causeway/protocol/admin';
import { aHash, anAddress } from '@causeway/test-kit';
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

const overview = async () => overviewResponseSchema.parse((await viewer.get('/overview')).body);
const relayers = async () => relayersResponseSchema.parse((await viewer.get('/relayers')).body);

describe('the state of the contracts', () => {
  it('is in the overview, by the agreement of the nodes', async () => {
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

  it('has a head that is never below the last block that was read', async () => {
    await t.sql.query('UPDATE chain_cursor SET next_block = next_block + 3');
    const { chains } = await overview();
    expect(chains.map(({ head, nextBlock, lagBlocks }) => [head! - nextBlock, lagBlocks])).toEqual([
      [-1, 0],
      [-1, 0],
    ]);
    await t.sql.query('UPDATE chain_cursor SET next_block = next_block - 3');
  });

  it('adds up what completed in the last 24 hours, and says that a lease has ended', async () => {
    const [somebody, PARTNER, ETHEREUM] = [
      anAddress('somebody'),
      bridge.book.partner.chainId,
      bridge.book.ethereum.chainId,
    ];
    const day = async () => {
      const { assets } = await overview();
      return assets.map(({ asset, delivered24h, fees24h }) => [asset, delivered24h, fees24h]);
    };
    expect(await day()).toEqual([
      ['ETH', '0', '0'],
      ['USDC', '0', '0'],
      ['XCN', '0', '0'],
    ]);
    const completed = (hours: number, kind: string, asset: string) =>
      t.sql.query(`
        INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient, origin_nonce,
          origin_tx_hash, origin_block_number, origin_block_hash, origin_chain_id, destination_chain_id, required_confirmations,
          finalized_at, destination_tx_hash, settled_at, settled_block_number, settled_credited, created_at)
        VALUES ('${aHash()}', '${kind}', 'PARTNER_TO_ETHEREUM', '${asset}', 'COMPLETED', 1000, 25, 250, 975, '${somebody}', '${somebody}', 1, '${aHash()}',
          1, '${aHash()}', ${PARTNER}, ${ETHEREUM}, 1, now(), '${aHash()}', now() - interval '${hours} hours', 1, false, now() - interval '9 days')`);
    await completed(1, 'BURN', 'USDC');
    await completed(23, 'BURN', 'USDC');
    await completed(25, 'BURN', 'USDC');
    await completed(2, 'NATIVE_WITHDRAWAL', 'XCN');
    expect(await day()).toEqual([
      ['ETH', '0', '0'],
      ['USDC', '1950', '50'],
      ['XCN', '975', '25'],
    ]);
    // The browser's clock has no say in it.
    await t.sql.query(`UPDATE lease SET expires_at = now() - interval '1 second'`);
    expect((await overview()).lease.isHeld).toBe(false);
    expect((await relayers()).lease.isHeld).toBe(false);
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
