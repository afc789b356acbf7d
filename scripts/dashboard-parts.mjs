// Panels for dashboards.mjs: those that services share, and those of services that other organisations run.

/** Selects the active relayer: a passive one keeps its last values of the watch's metrics. */
export const ACTIVE = 'and on (instance) causeway_relayer_lease_held == 1';

/** The panels of every service. */
export const PROCESS = (job) => [
  [
    'Version',
    'stat',
    'short',
    [`count by (version, commit) (causeway_build_info{service="${job}"})`, '{{version}} {{commit}}'],
  ],
  ['Ready', 'stat', 'short', [`causeway_ready{service="${job}"}`, '{{instance}}']],
  ['Memory', 'timeseries', 'bytes', [`process_resident_memory_bytes{job="${job}"}`, '{{instance}}']],
  ['Processor', 'timeseries', 'percentunit', [`rate (process_cpu_seconds_total{job="${job}"}[5m])`, '{{instance}}']],
  ['Event loop delay, p99', 'timeseries', 's', [`nodejs_eventloop_lag_p99_seconds{job="${job}"}`, '{{instance}}']],
  ['Clock, off by', 'timeseries', 's', [`causeway_clock_offset_seconds{job="${job}"}`, '{{instance}}']],
];

export const OF_OTHERS = {
  attester: [
    ...PROCESS('attester'),
    [
      'Connected exchanges',
      'timeseries',
      'short',
      ['causeway_attester_exchange_connected', '{{instance}} {{exchange}}'],
    ],
    ['Processes with the key', 'timeseries', 'short', ['causeway_attester_instances', '{{instance}} {{exchange}}']],
    [
      'Record entries',
      'timeseries',
      'short',
      ['causeway_attester_record_entries', '{{instance}}'],
      ['causeway_attester_record_usable', '{{instance}} usable'],
    ],
    [
      'Judgements per minute, by verdict',
      'timeseries',
      'short',
      ['sum by (instance, verdict) (rate (causeway_attester_judgements_total[5m])) * 60', '{{instance}} {{verdict}}'],
    ],
    [
      'Judgement duration',
      'timeseries',
      's',
      ['histogram_quantile (0.99, sum by (le) (rate (causeway_attester_judgement_seconds_bucket[5m])))', 'p99'],
      ['histogram_quantile (0.5, sum by (le) (rate (causeway_attester_judgement_seconds_bucket[5m])))', 'p50'],
    ],
    [
      'Signed payments per minute',
      'timeseries',
      'short',
      ['sum by (instance) (rate (causeway_attester_signed_payments_total[5m])) * 60', '{{instance}}'],
    ],
    ['Refused calls', 'timeseries', 'short', ['increase (causeway_attester_refused_calls_total[5m])', '{{instance}}']],
    [
      'Connected and required attesters',
      'timeseries',
      'short',
      [`causeway_relayer_attesters_asking ${ACTIVE}`, '{{chain}} asking'],
      [`causeway_relayer_attesters_needed ${ACTIVE}`, '{{chain}} needed'],
      [`causeway_relayer_attesters ${ACTIVE}`, '{{chain}} members'],
    ],
    [
      'Processes per attester, as seen by the relayer',
      'timeseries',
      'short',
      ['max by (attester) (causeway_relayer_attester_instances)', '{{attester}}'],
    ],
    [
      'Refused by one attester, accepted by another',
      'timeseries',
      'short',
      ['sum by (attester) (increase (causeway_relayer_attester_dissents_total[15m]))', '{{attester}}'],
    ],
  ],
  watchtower: [
    ...PROCESS('watchtower'),
    [
      'Wants the bridge paused',
      'stat',
      'short',
      ['causeway_watchtower_pause_wanted', '{{instance}} {{chain}}'],
      ['causeway_watchtower_paused', '{{instance}} {{chain}} is paused'],
    ],
    ['Findings', 'stat', 'short', ['causeway_watchtower_findings', '{{instance}} {{code}}']],
    ['Collateral short of the supply', 'stat', 'short', ['causeway_watchtower_supply_short', '{{instance}} {{asset}}']],
    [
      'Age of the newest judged block',
      'timeseries',
      's',
      ['time () - causeway_watchtower_block_time_seconds', '{{chain}}'],
    ],
    [
      'Since both chains were judged',
      'timeseries',
      's',
      ['time () - causeway_watchtower_judged_at_seconds', '{{instance}}'],
    ],
    [
      'Deliveries that wait for their origin',
      'timeseries',
      'short',
      ['causeway_watchtower_waiting_deliveries', '{{instance}}'],
    ],
    [
      'Answers of nodes that did not count',
      'timeseries',
      'short',
      ['increase (causeway_watchtower_node_dissents_total[15m])', '{{chain}} {{node}} {{kind}}'],
    ],
    ['Simulated pause', 'timeseries', 'short', ['causeway_watchtower_rehearsal_ok', '{{chain}} {{node}}']],
    ['Pauses that the coin pays for', 'timeseries', 'short', ['causeway_watchtower_affordable_pauses', '{{chain}}']],
  ],
};
