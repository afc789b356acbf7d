import type { AlertRule } from './alert-rule.js';

const BEHIND = { seconds: 300 } as const;
/** In a quarter of an hour. Around a reorganisation, nodes differ for a few turns. */
const DISSENTS = { count: 10 } as const;
/** In a quarter of an hour. An unavailable node fails over 1,800 requests, and one that lags briefly some 400. */
const MANY_FAILURES = 1_000;
const PAUSES = { count: 3 } as const;

/** The alerts about watchtowers, from their own metrics. Only Prometheus raises them. */
export const WATCHTOWER_ALERTS = {
  WatchtowerTheft: {
    about: 'the watchtowers',
    severity: 'critical',
    summary: 'The watchtower at {{ $labels.instance }} pauses the bridge, which paid what it does not owe',
    prometheus: { expression: ['max by (instance) (causeway_watchtower_pause_wanted) == 1'] },
  },
  PauseFailed: {
    about: 'the watchtowers',
    severity: 'critical',
    summary: 'The watchtower at {{ $labels.instance }} cannot pause the contract on {{ $labels.chain }}',
    prometheus: {
      expression: ['causeway_watchtower_paused == 0', 'and on (instance, chain) causeway_watchtower_pause_wanted == 1'],
      for: '1m',
    },
  },
  WatchtowerTrustChange: {
    about: 'the watchtowers',
    severity: 'critical',
    summary: 'The watchtower at {{ $labels.instance }} saw a key, office or setting change without announcement',
    prometheus: {
      // A finding stays for ever, so this compares with yesterday.
      expression: [
        'causeway_watchtower_findings{code=~"UNANNOUNCED|TRUST_BROKEN"} > 0',
        'unless causeway_watchtower_findings offset 1d >= causeway_watchtower_findings',
      ],
    },
  },
  WatchtowerUndecided: {
    about: 'the watchtowers',
    severity: 'warning',
    summary: 'The watchtower at {{ $labels.instance }} cannot tell who paid or signed an intent that was released',
    prometheus: {
      expression: [
        'causeway_watchtower_undecided_intents > 0',
        'unless causeway_watchtower_undecided_intents offset 1d >= causeway_watchtower_undecided_intents',
      ],
    },
  },
  WatchtowerBlind: {
    about: 'the watchtowers',
    severity: 'critical',
    summary: 'The watchtower at {{ $labels.instance }} judges nothing',
    prometheus: { expression: ['causeway_ready{service="watchtower"} == 0'], for: '2m' },
  },
  WatchtowerBehind: {
    about: 'the watchtowers',
    severity: 'critical',
    summary: `The watchtower at {{ $labels.instance }} knows no block of {{ $labels.chain }} of the last ${BEHIND.seconds / 60} minutes`,
    threshold: BEHIND,
    prometheus: { expression: [`time () - causeway_watchtower_block_time_seconds > ${BEHIND.seconds}`], for: '1m' },
  },
  WatchtowerDisagrees: {
    about: 'the watchtowers',
    severity: 'warning',
    summary: 'The node {{ $labels.node }} of the watchtower at {{ $labels.instance }} fails or contradicts the others',
    threshold: DISSENTS,
    prometheus: {
      expression: [
        'sum by (instance, chain, node) (increase (causeway_watchtower_node_dissents_total{kind!="AWAY"}[15m]))',
        `> ${DISSENTS.count}`,
        'or sum by (instance, chain, node) (increase (causeway_watchtower_node_dissents_total{kind="AWAY"}[15m]))',
        `> ${MANY_FAILURES}`,
      ],
      for: '5m',
    },
  },
  WatchtowerRehearsalFailed: {
    about: 'the watchtowers',
    severity: 'critical',
    summary: 'The watchtower at {{ $labels.instance }} may be unable to pause the contract on {{ $labels.chain }}',
    threshold: PAUSES,
    prometheus: {
      expression: [
        'min by (instance, chain) (causeway_watchtower_rehearsal_ok) == 0',
        `or min by (instance, chain) (causeway_watchtower_affordable_pauses) < ${PAUSES.count}`,
      ],
      for: '5m',
    },
  },
} as const satisfies Readonly<Record<string, AlertRule>>;
