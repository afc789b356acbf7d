import type { AlertRule } from './alert-rule.js';

const SLOW = { seconds: 2 } as const;
const THROTTLED = { count: 20 } as const;
const LONG_TRANSACTION = { seconds: 300 } as const;
/** The timers of deploy/backup take and check one backup a day. */
const BACKUP_OLD = { days: 2 } as const;
/** The server archives every minute, and at most five minutes of data may be lost. */
const ARCHIVE_STUCK = { seconds: 180 } as const;
const CERTIFICATE_ENDS = { days: 14 } as const;
const CLOCK_OFF = { seconds: 5 } as const;
const CLOCK_WRONG = { seconds: 30 } as const;

const STANDBY_LAG_BYTES = 64 * 2 ** 20;

/** The jobs of `deploy/prometheus.yml`. */
const JOBS = 'api|gateway|relayer|attester|watchtower|balancer|database-host|alertmanager';
/** Load balancers poll the health endpoint; clients do not see its 503. */
const REQUESTS = 'endpoint!~".*/health.*"';

/**
 * The alerts that only Prometheus can raise: about processes, the database, certificates, clocks and disks. The console
 * does not show them.
 */
export const SERVICE_ALERTS = {
  ServiceAway: {
    about: 'the processes',
    severity: 'critical',
    summary: 'No process of the job {{ $labels.job }} is ready',
    prometheus: {
      expression: [
        'max by (job) (causeway_ready{service!~"attester|watchtower"}) == 0',
        'or absent (causeway_ready{job="api"})',
        'or absent (causeway_ready{job="relayer"})',
        'or max by (job) (up{job="gateway"}) == 0',
      ],
      for: '2m',
    },
  },
  ProcessDown: {
    about: 'the processes',
    severity: 'warning',
    summary: 'The {{ $labels.job }} at {{ $labels.instance }} does not answer',
    prometheus: { expression: [`up{job=~"${JOBS}"} == 0`], for: '2m' },
  },
  NotReady: {
    about: 'the processes',
    severity: 'warning',
    summary: 'The {{ $labels.job }} at {{ $labels.instance }} runs but is not ready',
    prometheus: { expression: ['causeway_ready{service!~"attester|watchtower"} == 0'], for: '5m' },
  },
  // Each start waits for ten minutes.
  AttesterStalls: {
    about: 'the processes',
    severity: 'warning',
    summary: 'The attester at {{ $labels.instance }} signs nothing',
    prometheus: { expression: ['causeway_ready{service="attester"} == 0'], for: '15m' },
  },
  AttesterRecordFails: {
    about: 'the processes',
    severity: 'critical',
    summary: 'The attester at {{ $labels.instance }} cannot write its record, and signs nothing',
    prometheus: { expression: ['causeway_attester_record_usable == 0'], for: '1m' },
  },
  AttesterRefusesCall: {
    about: 'the processes',
    severity: 'critical',
    summary: 'A relayer asked the attester at {{ $labels.instance }} to sign a payment that the chains do not owe',
    prometheus: { expression: ['increase (causeway_attester_refused_calls_total[15m]) > 0'] },
  },
  ApiErrors: {
    about: 'the processes',
    severity: 'critical',
    summary: 'Over 5 % of API responses have status 500 or more',
    prometheus: {
      expression: [
        `sum (rate (causeway_api_request_seconds_count{status=~"5..", ${REQUESTS}}[5m]))`,
        `> 0.05 * sum (rate (causeway_api_request_seconds_count{${REQUESTS}}[5m])) > 0`,
      ],
      for: '2m',
    },
  },
  ApiSlow: {
    about: 'the processes',
    severity: 'warning',
    summary: `The slowest 1 % of API responses take over ${SLOW.seconds} s`,
    threshold: SLOW,
    prometheus: {
      expression: [
        `histogram_quantile (0.99, sum by (le) (rate (causeway_api_request_seconds_bucket{${REQUESTS}}[5m])))`,
        `> ${SLOW.seconds}`,
      ],
      for: '5m',
    },
  },
  GatewayErrors: {
    about: 'the processes',
    severity: 'critical',
    summary: 'Over 5 % of gateway calls fail with -32603 or -32002',
    prometheus: {
      expression: [
        'sum (rate (causeway_gateway_calls_total{code=~"-32603|-32002"}[5m]))',
        '> 0.05 * sum (rate (causeway_gateway_calls_total[5m])) > 0',
      ],
      for: '2m',
    },
  },
  Throttled: {
    about: 'the processes',
    severity: 'warning',
    summary: 'The node {{ $labels.node }} limits the request rate of {{ $labels.job }} at {{ $labels.instance }}',
    threshold: THROTTLED,
    prometheus: {
      expression: [
        `increase (causeway_relayer_node_throttled_total[10m]) > ${THROTTLED.count}`,
        `or increase (causeway_api_node_throttled_total[10m]) > ${THROTTLED.count}`,
      ],
      for: '5m',
    },
  },
  GatewayNodeUnusable: {
    about: 'the processes',
    severity: 'warning',
    summary: 'The gateway {{ $labels.instance }} does not use its node {{ $labels.node }}',
    prometheus: { expression: ['causeway_gateway_node_healthy == 0'], for: '5m' },
  },
  BlocksStuck: {
    about: 'the processes',
    severity: 'critical',
    summary: 'The gateway {{ $labels.instance }} has seen no new block for five minutes',
    prometheus: {
      expression: [
        'changes (causeway_gateway_backend_block_number[5m]) == 0',
        'and on (instance) causeway_gateway_backend_available == 1',
      ],
      for: '2m',
    },
  },
  BalancerDown: {
    about: 'the processes',
    severity: 'critical',
    summary: 'The balancer is down or has no server',
    prometheus: {
      expression: [
        'max by (job) (up{job="balancer"}) == 0',
        'or min by (proxy) (haproxy_backend_active_servers{job="balancer"}) == 0',
      ],
      for: '1m',
    },
  },
  BalancerFull: {
    about: 'the processes',
    severity: 'warning',
    summary: 'The balancer {{ $labels.instance }} uses over 80 % of its connections',
    prometheus: {
      expression: [
        'haproxy_process_current_connections{job="balancer"} / haproxy_process_max_connections{job="balancer"} > 0.8',
      ],
      for: '5m',
    },
  },
  RedisDown: {
    about: 'the processes',
    severity: 'warning',
    summary: 'Each {{ $labels.job }} counts rates alone, because Redis fails',
    prometheus: {
      expression: [
        'max by (job) (increase (causeway_api_counted_alone_total[5m])) > 0',
        'or max by (job) (increase (causeway_gateway_counted_alone_total[5m])) > 0',
      ],
      for: '2m',
    },
  },
  DatabaseConnections: {
    about: 'the machines',
    severity: 'warning',
    summary: 'Over 80 % of the connections to the database are used',
    prometheus: {
      expression: ['max (causeway_database_connections / causeway_database_max_connections) > 0.8'],
      for: '5m',
    },
  },
  PoolWaits: {
    about: 'the machines',
    severity: 'warning',
    summary: 'The {{ $labels.job }} at {{ $labels.instance }} waits for connections to the database',
    prometheus: { expression: ['min_over_time (causeway_database_pool_waiting[2m]) > 0'], for: '2m' },
  },
  LongTransaction: {
    about: 'the machines',
    severity: 'warning',
    summary: 'A transaction in the database has been open for over five minutes',
    threshold: LONG_TRANSACTION,
    prometheus: {
      expression: [`max (causeway_database_oldest_transaction_seconds) > ${LONG_TRANSACTION.seconds}`],
      for: '1m',
    },
  },
  BackupOld: {
    about: 'the machines',
    severity: 'critical',
    summary: `No backup of the last ${BACKUP_OLD.days} days was restored and checked`,
    threshold: BACKUP_OLD,
    prometheus: {
      expression: [`max (causeway_database_backup_age_seconds) / 86400 > ${BACKUP_OLD.days}`],
      for: '5m',
    },
  },
  WalArchiveStuck: {
    about: 'the machines',
    severity: 'critical',
    summary: `The database archived no WAL for ${ARCHIVE_STUCK.seconds / 60} minutes`,
    threshold: ARCHIVE_STUCK,
    prometheus: {
      expression: [`max (causeway_database_archive_age_seconds) > ${ARCHIVE_STUCK.seconds}`],
      for: '1m',
    },
  },
  CertificateEnds: {
    about: 'the machines',
    severity: 'warning',
    summary: `The certificate {{ $labels.certificate }} expires in less than ${CERTIFICATE_ENDS.days} days`,
    threshold: CERTIFICATE_ENDS,
    prometheus: {
      expression: [`min by (certificate) (causeway_certificate_days_left) < ${CERTIFICATE_ENDS.days}`],
      for: '5m',
    },
  },
  ClockOff: {
    about: 'the machines',
    severity: 'warning',
    summary: `The clock of {{ $labels.job }} at {{ $labels.instance }} is off by over ${CLOCK_OFF.seconds} s`,
    threshold: CLOCK_OFF,
    prometheus: { expression: [`abs (causeway_clock_offset_seconds) > ${CLOCK_OFF.seconds}`], for: '5m' },
  },
  ClockWrong: {
    about: 'the machines',
    severity: 'critical',
    summary: `The clock of {{ $labels.job }} at {{ $labels.instance }} is off by over ${CLOCK_WRONG.seconds} s`,
    threshold: CLOCK_WRONG,
    prometheus: { expression: [`abs (causeway_clock_offset_seconds) > ${CLOCK_WRONG.seconds}`], for: '1m' },
  },
  // From node_exporter: no login of the database may see its disk.
  DatabaseDisk: {
    about: 'the machines',
    severity: 'critical',
    summary: "The database's disk {{ $labels.mountpoint }} at {{ $labels.instance }} has less than 15 % free",
    prometheus: {
      expression: [
        'node_filesystem_avail_bytes{job="database-host", fstype!~"tmpfs|ramfs|overlay"}',
        '/ node_filesystem_size_bytes < 0.15',
      ],
      for: '5m',
    },
  },
  StandbyLag: {
    about: 'the machines',
    severity: 'warning',
    summary: 'The standby {{ $labels.standby }} is disconnected or over 64 MB behind',
    prometheus: {
      expression: [
        'max by (standby) (causeway_database_standby_connected) == 0',
        `or max by (standby) (causeway_database_standby_lag_bytes) > ${STANDBY_LAG_BYTES}`,
      ],
      for: '5m',
    },
  },
  // Its receiver is a service elsewhere that calls when messages stop: the machines, Prometheus, Alertmanager or the
  // way out failed. It stops, too, while Alertmanager cannot deliver to another receiver.
  Watchdog: {
    about: 'the machines',
    severity: 'info',
    summary: 'Always fires, so that its absence is noticed',
    prometheus: {
      expression: ['vector (1) unless on () (sum (increase (alertmanager_notifications_failed_total[15m])) > 0)'],
    },
  },
  DiskFull: {
    about: 'the machines',
    severity: 'warning',
    summary: 'The disk of the gateway {{ $labels.instance }} has less than 10 % free',
    prometheus: {
      expression: ['causeway_gateway_disk_free_bytes / causeway_gateway_disk_size_bytes < 0.1'],
      for: '5m',
    },
  },
} as const satisfies Readonly<Record<string, AlertRule>>;
