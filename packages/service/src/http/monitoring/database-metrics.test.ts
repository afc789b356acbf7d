import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { watchDatabase } from './database-metrics.js';

describe('watchDatabase', () => {
  it('reads the server one time a scrape, and knows nothing while it is away', async () => {
    const registry = new Registry();
    const state = { readings: 0, isAway: false };
    watchDatabase(registry, {
      waiting: () => 2,
      figures: async () => {
        state.readings += 1;
        if (state.isAway) throw new Error('no answer');
        return {
          connections: 7 * state.readings,
          maxConnections: 100,
          oldestTransactionSeconds: 3,
          sizeBytes: 5_000,
          standbys: [{ name: 'second', isConnected: true, lagBytes: 80 }],
          backups: {
            restorableSeconds: state.readings > 1 ? 7_200 : null,
            claimedSeconds: 90_000,
            archivedSeconds: null,
          },
          clockOffsetMs: -1_500,
        };
      },
    });
    const scrape = async () => (await registry.metrics()).split('\n').filter((line) => !/^(#|$)/.test(line));
    expect(await scrape()).toEqual([
      'causeway_database_pool_waiting 2',
      'causeway_database_connections 7',
      'causeway_database_max_connections 100',
      'causeway_database_oldest_transaction_seconds 3',
      'causeway_database_size_bytes 5000',
      'causeway_database_standby_connected{standby="second"} 1',
      'causeway_database_standby_lag_bytes{standby="second"} 80',
      'causeway_database_backup_age_seconds 90000',
      'causeway_database_archive_age_seconds Nan',
      'causeway_clock_offset_seconds -1.5',
    ]);
    expect(await scrape()).toEqual(
      expect.arrayContaining(['causeway_database_connections 14', 'causeway_database_backup_age_seconds 7200']),
    );
    state.isAway = true;
    expect((await scrape()).filter((line) => line.includes('standby'))).toEqual([]);
    expect(await scrape()).toContain('causeway_clock_offset_seconds Nan');
    expect(await scrape()).toContain('causeway_database_pool_waiting 2');
  });
});
