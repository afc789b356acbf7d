import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { ACTIVE, OF_OTHERS, PROCESS } from './dashboard-parts.mjs';

// Writes the Grafana dashboards from the panels below: one per service, one for the bridge, one for the database. With
// --check it writes nothing, and fails if a file is outdated. e2e/test/watch.test.ts compares the metrics with running
// services.
const FOLDER = join(import.meta.dirname, '../deploy/dashboards');
/** Title, kind, unit, then queries and their legends. Three panels per row. */
const DASHBOARDS = {
  bridge: [
    ['Active relayers', 'stat', 'short', ['sum (causeway_relayer_lease_held)', 'active']],
    ['Halted', 'stat', 'short', ['max by (what) (causeway_relayer_halted)', '{{what}}']],
    [
      'Unknown deliveries and unexplained balances',
      'stat',
      'short',
      [`causeway_relayer_unknown_deliveries ${ACTIVE}`, 'unknown deliveries'],
      [`causeway_relayer_unexplained_differences ${ACTIVE}`, 'unexplained balances'],
      [`causeway_relayer_account_waiting_seconds > 60 ${ACTIVE}`, 'seconds with an unexplained balance'],
    ],
    ['Locked minus outstanding', 'timeseries', 'short', [`causeway_relayer_backing_margin ${ACTIVE}`, '{{asset}}']],
    [
      'Locked and outstanding',
      'timeseries',
      'short',
      [`causeway_relayer_locked ${ACTIVE}`, '{{asset}} locked'],
      [`causeway_relayer_outstanding ${ACTIVE}`, '{{asset}} outstanding'],
    ],
    ['Float: days left', 'timeseries', 'd', [`causeway_relayer_float_days_left ${ACTIVE}`, 'days']],
    ['Float of XCN', 'timeseries', 'short', [`causeway_relayer_float_xcn ${ACTIVE}`, 'XCN']],
    ['Relayer wallet', 'timeseries', 'short', [`causeway_relayer_wallet_balance ${ACTIVE}`, '{{chain}}']],
    [
      'Fees of the last 24 hours',
      'timeseries',
      'short',
      ['max by (chain) (causeway_relayer_fees_last_day)', '{{chain}}'],
    ],
    [
      'Deliveries per minute',
      'timeseries',
      'short',
      ['sum by (chain) (rate (causeway_relayer_deliveries_total[5m])) * 60', '{{chain}}'],
    ],
    [
      'Operations by stage and reason',
      'timeseries',
      'short',
      ['max by (stage, reason) (causeway_relayer_queue_operations)', '{{stage}} {{reason}}'],
    ],
    [
      'Oldest by stage and reason',
      'timeseries',
      's',
      ['max by (stage, reason) (causeway_relayer_queue_oldest_seconds)', '{{stage}} {{reason}}'],
    ],
  ],
  relayer: [
    ...PROCESS('relayer'),
    [
      'Pending transactions',
      'timeseries',
      'short',
      ['max by (chain) (causeway_relayer_pending_transactions)', '{{chain}}'],
      ['max by (chain) (causeway_relayer_pending_replacements)', '{{chain}} replacements'],
    ],
    [
      'Oldest pending transaction',
      'timeseries',
      's',
      ['max by (chain) (causeway_relayer_pending_oldest_seconds)', '{{chain}}'],
    ],
    [
      'Attempts',
      'timeseries',
      'short',
      ['max by (stage, reason) (causeway_relayer_queue_attempts)', '{{stage}} {{reason}}'],
    ],
    ['Blocks behind', 'timeseries', 'short', ['min by (chain) (causeway_relayer_blocks_behind)', '{{chain}}']],
    ['Cursor age', 'timeseries', 's', ['min by (chain) (causeway_relayer_cursor_age_seconds)', '{{chain}}']],
    [
      'Oldest delivery without a verdict',
      'timeseries',
      's',
      [`causeway_relayer_oldest_unjudged_seconds ${ACTIVE}`, '{{chain}}'],
    ],
    [
      'Usable nodes and quorum',
      'timeseries',
      'short',
      ['sum by (instance, chain) (causeway_relayer_node_usable)', '{{instance}} {{chain}} usable'],
      ['max by (instance, chain) (causeway_relayer_quorum)', '{{instance}} {{chain}} quorum'],
    ],
    [
      'Node lag, blocks',
      'timeseries',
      'short',
      ['max by (chain, node) (causeway_relayer_node_lag_blocks)', '{{chain}} {{node}}'],
    ],
    [
      'Node latency',
      'timeseries',
      's',
      ['max by (chain, node) (causeway_relayer_node_latency_seconds)', '{{chain}} {{node}}'],
    ],
    [
      'Rate-limited requests per minute',
      'timeseries',
      'short',
      ['sum by (chain, node) (rate (causeway_relayer_node_throttled_total[5m])) * 60', '{{chain}} {{node}}'],
    ],
    ['Last run of a stage', 'timeseries', 's', ['max by (stage) (causeway_relayer_stage_seconds)', '{{stage}}']],
    [
      'Failed runs per minute',
      'timeseries',
      'short',
      ['sum by (stage) (rate (causeway_relayer_stage_failures_total[5m])) * 60', '{{stage}}'],
    ],
    [
      'Runs per minute',
      'timeseries',
      'short',
      ['sum by (stage) (rate (causeway_relayer_stage_runs_total[5m])) * 60', '{{stage}}'],
    ],
  ],
  api: [
    ...PROCESS('api'),
    [
      'Requests per second, by status',
      'timeseries',
      'reqps',
      ['sum by (status) (rate (causeway_api_request_seconds_count[5m]))', '{{status}}'],
    ],
    [
      'Requests per second, by endpoint',
      'timeseries',
      'reqps',
      ['sum by (endpoint) (rate (causeway_api_request_seconds_count[5m]))', '{{endpoint}}'],
    ],
    [
      'Response time',
      'timeseries',
      's',
      ['histogram_quantile (0.99, sum by (le) (rate (causeway_api_request_seconds_bucket[5m])))', 'p99'],
      ['histogram_quantile (0.5, sum by (le) (rate (causeway_api_request_seconds_bucket[5m])))', 'p50'],
    ],
    [
      'Rate-limited per second',
      'timeseries',
      'reqps',
      ['sum by (unit) (rate (causeway_api_refusals_total[5m]))', '{{unit}}'],
    ],
    [
      'Counted without Redis, a minute',
      'timeseries',
      'short',
      ['sum (rate (causeway_api_counted_alone_total[5m])) * 60', 'requests'],
    ],
    [
      'Event streams',
      'timeseries',
      'short',
      ['sum by (instance) (causeway_api_event_streams)', '{{instance}} open'],
      [
        'sum by (instance) (rate (causeway_api_event_streams_dropped_total[5m])) * 60',
        '{{instance}} dropped per minute',
      ],
    ],
    [
      'Usable nodes and quorum',
      'timeseries',
      'short',
      ['sum by (instance, chain) (causeway_api_node_usable)', '{{instance}} {{chain}} usable'],
      ['max by (instance, chain) (causeway_api_quorum)', '{{instance}} {{chain}} quorum'],
    ],
    [
      'Certificates, days left',
      'timeseries',
      'd',
      ['min by (certificate) (causeway_certificate_days_left)', '{{certificate}}'],
    ],
    ['Database answers', 'timeseries', 'short', ['causeway_api_database_up', '{{instance}}']],
  ],
  gateway: [
    ...PROCESS('gateway'),
    [
      'Calls per second, by method',
      'timeseries',
      'reqps',
      ['topk (10, sum by (method) (rate (causeway_gateway_calls_total[5m])))', '{{method}}'],
    ],
    [
      'Calls per second, by code',
      'timeseries',
      'reqps',
      ['sum by (code) (rate (causeway_gateway_calls_total[5m]))', '{{code}}'],
    ],
    [
      'Call duration',
      'timeseries',
      's',
      ['histogram_quantile (0.99, sum by (le) (rate (causeway_gateway_call_seconds_bucket[5m])))', 'p99'],
      ['histogram_quantile (0.5, sum by (le) (rate (causeway_gateway_call_seconds_bucket[5m])))', 'p50'],
    ],
    [
      'Average calls per batch',
      'timeseries',
      'short',
      [
        'sum (rate (causeway_gateway_batch_calls_sum[5m])) / sum (rate (causeway_gateway_batch_calls_count[5m]))',
        'calls',
      ],
    ],
    [
      'Refused by a limit, per second',
      'timeseries',
      'reqps',
      ['sum by (reason) (rate (causeway_gateway_refusals_total[5m]))', '{{reason}}'],
    ],
    [
      'WebSockets',
      'timeseries',
      'short',
      ['causeway_gateway_websocket_connections', '{{instance}} connections'],
      ['causeway_gateway_subscriptions', '{{instance}} subscriptions'],
      ['causeway_gateway_filters', '{{instance}} filters'],
    ],
    [
      'Newest block',
      'timeseries',
      'none',
      ['causeway_gateway_backend_block_number', '{{instance}}'],
      ['causeway_gateway_node_block_number', '{{instance}} {{node}}'],
    ],
    ['Usable nodes', 'timeseries', 'short', ['causeway_gateway_node_healthy', '{{instance}} {{node}}']],
    ['Node latency', 'timeseries', 's', ['causeway_gateway_node_latency_seconds', '{{instance}} {{node}}']],
    [
      'Free disk of the chain',
      'timeseries',
      'percentunit',
      ['causeway_gateway_disk_free_bytes / causeway_gateway_disk_size_bytes', '{{instance}}'],
    ],
  ],
  ...OF_OTHERS,
  database: [
    [
      'Connections',
      'timeseries',
      'short',
      ['max (causeway_database_connections)', 'used'],
      ['max (causeway_database_max_connections)', 'allowed'],
    ],
    [
      'Queries waiting for a connection',
      'timeseries',
      'short',
      ['causeway_database_pool_waiting', '{{job}} {{instance}}'],
    ],
    ['Oldest transaction', 'timeseries', 's', ['max (causeway_database_oldest_transaction_seconds)', 'age']],
    ['Size', 'timeseries', 'bytes', ['max (causeway_database_size_bytes)', 'database']],
    ['Newest restorable backup', 'timeseries', 's', ['max (causeway_database_backup_age_seconds)', 'age']],
    ['Last archived WAL', 'timeseries', 's', ['max (causeway_database_archive_age_seconds)', 'age']],
    [
      'Disk, free',
      'timeseries',
      'percentunit',
      ['node_filesystem_avail_bytes{job="database-host"} / node_filesystem_size_bytes', '{{mountpoint}}'],
    ],
    ['Standby lag', 'timeseries', 'bytes', ['max by (standby) (causeway_database_standby_lag_bytes)', '{{standby}}']],
    [
      'Answers to services',
      'timeseries',
      'short',
      ['causeway_relayer_database_up', 'relayer {{instance}}'],
      ['causeway_api_database_up', 'api {{instance}}'],
    ],
    ['Certificate, days', 'timeseries', 'd', ['min (causeway_certificate_days_left{certificate="database"})', 'days']],
  ],
};

const COLUMNS = 3;
const SIZE = { w: 8, h: 7 };

function toPanel([title, type, unit, ...queries], index) {
  return {
    id: index + 1,
    type,
    title,
    gridPos: { x: SIZE.w * (index % COLUMNS), y: SIZE.h * Math.floor(index / COLUMNS), ...SIZE },
    datasource: { type: 'prometheus', uid: '${datasource}' },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: queries.map(([expr, legendFormat], query) => ({
      refId: String.fromCharCode(65 + query),
      expr,
      legendFormat,
    })),
  };
}

function toDashboard(name, panels) {
  return {
    title: `Causeway ${name}`,
    uid: `causeway-${name}`,
    tags: ['causeway'],
    timezone: 'utc',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels: panels.map(toPanel),
  };
}

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
for (const [name, panels] of Object.entries(DASHBOARDS)) {
  const file = join(FOLDER, `${name}.json`);
  const options = { ...(await resolveConfig(file)), parser: 'json' };
  const text = await format(JSON.stringify(toDashboard(name, panels)), options);
  if (flags.check !== true) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is outdated: run npx pnpm@12.21.0 exec node scripts/dashboards.mjs`);
    process.exitCode = 1;
  }
}
