import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { ALERTS, type AlertRule } from '@causeway/protocol/admin';
import { ScrapeRecorder, wrongAlerts, type AlertScenario, type Scrape } from '@causeway/test-kit';

// Every alert about watchtowers, processes and machines with its fault, evaluated by Prometheus's promtool.
// watch.test.ts compares the metric names with those of the running services.

const RULES = fileURLToPath(new URL('../../../deploy/alerts.yml', import.meta.url));
const MINUTE_SECONDS = 60;
const HEALTHY_MINUTES = 20;
const FAULT_MINUTES = 20;
const CLEAR_MINUTES = 30;

/** Requests or calls a minute by status or code, and how many are slow. */
interface Traffic {
  readonly [outcome: string]: number;
}

/** The state of all processes, which scenarios change. */
interface State {
  readonly down: Set<string>;
  readonly unready: Set<string>;
  api: Traffic;
  slow: number;
  calls: Traffic;
  throttled: number;
  nodes: readonly number[];
  blocks: number;
  connections: number;
  waiting: number;
  transactionSeconds: number;
  backupHours: number;
  archiveSeconds: number;
  certificateDays: number;
  clockSeconds: number;
  diskFree: number;
  databaseDiskFree: number;
  standby: { connected: number; lagBytes: number };
  servers: number;
  clientConnections: number;
  /** Growth a minute. */
  countedAlone: number;
  /** Growth a minute. */
  failedNotifications: number;
  recordUsable: number;
  /** Growth a minute. */
  refusedCalls: number;
  /** The watchtower's figures by their metrics. */
  watchtower: Readonly<Record<string, number>>;
  behindSeconds: number;
  /** Growth a minute. */
  nodeDissents: { DIFFERS: number; AWAY: number };
}

/** A watchtower that finds nothing wrong. */
const CALM = {
  'pause_wanted{chain="ethereum"}': 0,
  'pause_wanted{chain="partner"}': 0,
  'paused{chain="partner"}': 0,
  'findings{code="UNANNOUNCED"}': 0,
  'rehearsal_ok{chain="partner",node="one"}': 1,
  'affordable_pauses{chain="partner"}': 50,
  undecided_intents: 0,
};

const healthy = (): State => ({
  down: new Set(),
  unready: new Set(),
  api: { 200: 100, 404: 20, 500: 1 },
  slow: 0,
  calls: { '0': 500, '-32000': 100, '-32603': 1 },
  throttled: 0,
  nodes: [1, 1],
  blocks: 30,
  connections: 40,
  waiting: 0,
  transactionSeconds: 2,
  backupHours: 27,
  archiveSeconds: 70,
  certificateDays: 60,
  clockSeconds: 0.02,
  diskFree: 5e11,
  databaseDiskFree: 5e11,
  standby: { connected: 1, lagBytes: 1e6 },
  servers: 3,
  clientConnections: 500,
  countedAlone: 0,
  failedNotifications: 0,
  recordUsable: 1,
  refusedCalls: 0,
  watchtower: CALM,
  behindSeconds: 1,
  nodeDissents: { DIFFERS: 0, AWAY: 30 },
});
const unlike = (change: Partial<typeof CALM>) => (state: State) => {
  state.watchtower = { ...CALM, ...change };
};

/** Faults, with the alerts that each raises. */
const FAULTS: readonly (readonly [alerts: readonly string[], fault: (state: State) => void])[] = [
  [['ServiceAway', 'ProcessDown'], (state) => ['api-0', 'api-1'].forEach((name) => state.down.add(name))],
  [['ServiceAway', 'ProcessDown'], (state) => state.down.add('gateway-2')],
  [['ServiceAway', 'NotReady'], (state) => state.unready.add('gateway-2')],
  [['ProcessDown'], (state) => state.down.add('api-1')],
  [['NotReady'], (state) => state.unready.add('api-0')],
  [['ApiErrors'], (state) => (state.api = { 200: 100, 503: 10 })],
  [['ApiSlow'], (state) => (state.slow = 5)],
  [['GatewayErrors'], (state) => (state.calls = { '0': 500, '-32002': 50 })],
  [['Throttled'], (state) => (state.throttled = 5)],
  [['GatewayNodeUnusable'], (state) => (state.nodes = [1, 0])],
  [['BlocksStuck'], (state) => (state.blocks = 0)],
  [['DatabaseConnections'], (state) => (state.connections = 85)],
  [['PoolWaits'], (state) => (state.waiting = 3)],
  [['LongTransaction'], (state) => (state.transactionSeconds = 400)],
  [['BackupOld'], (state) => (state.backupHours = 49)],
  [['WalArchiveStuck'], (state) => (state.archiveSeconds = 200)],
  [['CertificateEnds'], (state) => (state.certificateDays = 13)],
  [['ClockOff'], (state) => (state.clockSeconds = -6)],
  [['ClockOff', 'ClockWrong'], (state) => (state.clockSeconds = 31)],
  [['DiskFull'], (state) => (state.diskFree = 5e10)],
  [['BalancerDown', 'ProcessDown'], (state) => state.down.add('balancer-5')],
  [['BalancerDown'], (state) => (state.servers = 0)],
  [['BalancerFull'], (state) => (state.clientConnections = 3_500)],
  [['RedisDown'], (state) => (state.countedAlone = 1)],
  [['DatabaseDisk'], (state) => (state.databaseDiskFree = 1e11)],
  [['ProcessDown'], (state) => state.down.add('database-host-6')],
  [['StandbyLag'], (state) => (state.standby = { connected: 0, lagBytes: 1e6 })],
  [['StandbyLag'], (state) => (state.standby = { connected: 1, lagBytes: 1e9 })],
  [['Watchdog'], (state) => (state.failedNotifications = 1)],
  [['ProcessDown'], (state) => state.down.add('attester-4')],
  [['AttesterStalls'], (state) => state.unready.add('attester-4')],
  [['AttesterRecordFails'], (state) => (state.recordUsable = 0)],
  [['AttesterRefusesCall'], (state) => (state.refusedCalls = 1)],
  [['ProcessDown'], (state) => state.down.add('watchtower-8')],
  [['WatchtowerTheft'], unlike({ 'pause_wanted{chain="ethereum"}': 1 })],
  [['WatchtowerTheft', 'PauseFailed'], unlike({ 'pause_wanted{chain="partner"}': 1 })],
  [['WatchtowerTrustChange'], unlike({ 'findings{code="UNANNOUNCED"}': 1 })],
  [['WatchtowerUndecided'], unlike({ undecided_intents: 1 })],
  [['WatchtowerBlind'], (state) => state.unready.add('watchtower-8')],
  [['WatchtowerBehind'], (state) => (state.behindSeconds = 301)],
  [['WatchtowerDisagrees'], (state) => (state.nodeDissents.DIFFERS = 5)],
  [['WatchtowerDisagrees'], (state) => (state.nodeDissents.AWAY = 120)],
  [['WatchtowerRehearsalFailed'], unlike({ 'rehearsal_ok{chain="partner",node="one"}': 0 })],
  [['WatchtowerRehearsalFailed'], unlike({ 'affordable_pauses{chain="partner"}': 2 })],
];

/** Changes that look like faults but are not. */
const HARMLESS: readonly (readonly [name: string, change: (state: State) => void])[] = [
  ['refused requests', (state) => (state.api = { 200: 100, 429: 500, 400: 50 })],
  ['a server without an archive', (state) => (state.archiveSeconds = NaN)],
  ['no traffic', (state) => Object.assign(state, { api: {}, calls: {} })],
  ['calls that revert', (state) => (state.calls = { '0': 100, '-32000': 400, '-32005': 300 })],
];

const OURS = new Set(['api', 'gateway', 'relayer', 'attester', 'watchtower']);
const NAMES = 'api-0 api-1 gateway-2 relayer-3 attester-4 balancer-5 database-host-6 alertmanager-7 watchtower-8'.split(
  ' ',
);

/** The growing counters of all processes. */
class Processes {
  readonly state = healthy();
  private readonly counts = new Map<string, number>();
  private blockNumber = 0;
  private minute = -1;

  /** Advances by a minute. */
  scrape(): readonly Scrape[] {
    this.minute += 1;
    this.blockNumber += this.state.blocks;
    return NAMES.map((name) => {
      const job = name.replace(/-\d$/, '');
      const { down, unready } = this.state;
      const lines = [
        ...(OURS.has(job) ? this.describeProcess(job, unready.has(name)) : this.describeExporter(job)),
        ...(job === 'api' ? this.describeApi(name) : []),
        ...(job === 'gateway' ? this.describeGateway() : []),
        ...(job === 'relayer' ? this.describeRelayer() : []),
        ...(job === 'attester' ? this.describeAttester() : []),
        ...(job === 'watchtower' ? this.describeWatchtower() : []),
      ];
      return { job, text: down.has(name) ? '' : lines.join('\n') };
    });
  }

  private describeProcess(job: string, isUnready: boolean): readonly string[] {
    return [
      `causeway_ready{service="${job}"} ${isUnready ? 0 : 1}`,
      `causeway_clock_offset_seconds ${this.state.clockSeconds}`,
    ];
  }

  private describeExporter(job: string): readonly string[] {
    const { servers, clientConnections, databaseDiskFree, failedNotifications } = this.state;
    const disk = 'fstype="ext4",mountpoint="/database"';
    const temporary = 'fstype="tmpfs",mountpoint="/run"';
    return (
      {
        balancer: [
          `haproxy_backend_active_servers{proxy="apis"} ${servers}`,
          `haproxy_process_current_connections ${clientConnections}`,
          'haproxy_process_max_connections 4096',
        ],
        'database-host': [
          `node_filesystem_avail_bytes{${disk}} ${databaseDiskFree}`,
          `node_filesystem_size_bytes{${disk}} 1e12`,
          `node_filesystem_avail_bytes{${temporary}} 0`,
          `node_filesystem_size_bytes{${temporary}} 1e6`,
        ],
        alertmanager: [this.count('alertmanager_notifications_failed_total', job, failedNotifications)],
      }[job] ?? []
    );
  }

  private describeApi(name: string): readonly string[] {
    const { api, slow, connections, waiting, transactionSeconds, backupHours, archiveSeconds } = this.state;
    const { certificateDays, standby, countedAlone } = this.state;
    const requests = Object.entries(api);
    const all = requests.reduce((sum, [, count]) => sum + count, 0);
    const labels = 'endpoint="/api/v1/bridge/quote",method="GET"';
    return [
      ...requests.map(([status, count]) =>
        this.count(`causeway_api_request_seconds_count{${labels},status="${status}"}`, name, count),
      ),
      this.count('causeway_api_request_seconds_count{endpoint="/health/ready",method="GET",status="503"}', name, 60),
      this.count(`causeway_api_request_seconds_bucket{${labels},status="200",le="1"}`, name, all - slow),
      this.count(`causeway_api_request_seconds_bucket{${labels},status="200",le="5"}`, name, all),
      this.count(`causeway_api_request_seconds_bucket{${labels},status="200",le="+Inf"}`, name, all),
      this.count('causeway_api_counted_alone_total', name, countedAlone),
      `causeway_database_standby_connected{standby="second"} ${standby.connected}`,
      `causeway_database_standby_lag_bytes{standby="second"} ${standby.lagBytes}`,
      `causeway_database_connections ${connections}`,
      'causeway_database_max_connections 100',
      `causeway_database_pool_waiting ${waiting}`,
      `causeway_database_oldest_transaction_seconds ${transactionSeconds}`,
      `causeway_database_backup_age_seconds ${backupHours * 3_600}`,
      `causeway_database_archive_age_seconds ${archiveSeconds}`,
      `causeway_certificate_days_left{certificate="database"} ${certificateDays}`,
    ];
  }

  private describeRelayer(): readonly string[] {
    const throttled = 'causeway_relayer_node_throttled_total{chain="partner",node="gateway"}';
    // Another test covers the alerts about the bridge.
    return ['causeway_relayer_lease_held 1', this.count(throttled, 'relayer', this.state.throttled)];
  }

  private describeAttester(): readonly string[] {
    const { recordUsable, refusedCalls } = this.state;
    return [
      `causeway_attester_record_usable ${recordUsable}`,
      this.count('causeway_attester_refused_calls_total', 'attester', refusedCalls),
    ];
  }

  private describeWatchtower(): readonly string[] {
    const { watchtower, behindSeconds, nodeDissents } = this.state;
    return [
      `causeway_watchtower_block_time_seconds{chain="partner"} ${this.minute * MINUTE_SECONDS - behindSeconds}`,
      ...Object.entries(watchtower).map(([series, value]) => `causeway_watchtower_${series} ${value}`),
      ...Object.entries(nodeDissents).map(([kind, growth]) =>
        this.count(
          `causeway_watchtower_node_dissents_total{chain="partner",kind="${kind}",node="one"}`,
          'watchtower',
          growth,
        ),
      ),
    ];
  }

  private describeGateway(): readonly string[] {
    const { calls, nodes, diskFree } = this.state;
    return [
      ...Object.entries(calls).map(([code, count]) =>
        this.count(`causeway_gateway_calls_total{method="eth_call",code="${code}"}`, 'gateway', count),
      ),
      'causeway_gateway_backend_available 1',
      `causeway_gateway_backend_block_number ${this.blockNumber}`,
      ...nodes.map((value, index) => `causeway_gateway_node_healthy{node="node-${index}"} ${value}`),
      `causeway_gateway_disk_free_bytes ${diskFree}`,
      'causeway_gateway_disk_size_bytes 1e12',
    ];
  }

  private count(series: string, name: string, more: number): string {
    const count = (this.counts.get(name + series) ?? 0) + more;
    this.counts.set(name + series, count);
    return `${series} ${count}`;
  }
}

/** Records a healthy period, one with a change, and one after it. */
function record(change: (state: State) => void): ScrapeRecorder {
  const processes = new Processes();
  const recorder = new ScrapeRecorder();
  const pass = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) recorder.add(...processes.scrape());
  };
  pass(HEALTHY_MINUTES);
  change(processes.state);
  pass(FAULT_MINUTES);
  Object.assign(processes.state, healthy());
  pass(CLEAR_MINUTES);
  return recorder;
}

describe('the alert rules about watchtowers, processes and machines', () => {
  it('have a fault for each alert', () => {
    const alerts = Object.entries<AlertRule>(ALERTS).filter(([, { about }]) =>
      /watchtowers|processes|machines/.test(about),
    );
    expect(new Set(FAULTS.flatMap(([raised]) => raised))).toEqual(new Set(alerts.map(([code]) => code)));
  });

  it('fire on their fault, alone, and clear after it', async () => {
    const scenarios = FAULTS.map(([raised, fault]): AlertScenario => {
      const faulty = HEALTHY_MINUTES + FAULT_MINUTES - 1;
      const firing = [
        { atSample: HEALTHY_MINUTES - 1, alerts: [] },
        { atSample: faulty, alerts: raised.toSorted() },
        { atSample: faulty + CLEAR_MINUTES, alerts: [] },
      ];
      return { name: raised.join(), recording: record(fault).recording(), firing };
    });
    expect(await wrongAlerts(RULES, MINUTE_SECONDS, scenarios)).toBe('');
  });

  it('do not fire on harmless changes', async () => {
    const scenarios = HARMLESS.map(([name, change]): AlertScenario => {
      const recorder = record(change);
      const firing = Array.from({ length: recorder.samples }, (_, atSample) => ({ atSample, alerts: [] }));
      return { name, recording: recorder.recording(), firing };
    });
    expect(await wrongAlerts(RULES, MINUTE_SECONDS, scenarios)).toBe('');
  });
});
