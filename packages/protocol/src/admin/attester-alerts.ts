import type { AlertRule } from './alert-rule.js';

/** A passive relayer shows no items, and attesters can be connected to the active one only. */
const ON_ACTIVE = 'and on (instance) causeway_relayer_lease_held == 1';
/** On chains whose contract requires signatures. */
const IS_NEEDED = 'causeway_relayer_attesters_needed > 0';

/** The alerts about attesters, from the relayer's metrics. Only Prometheus raises them. */
export const ATTESTER_ALERTS = {
  AttesterLost: {
    about: 'the attesters',
    severity: 'warning',
    summary: 'The attester {{ $labels.attester }} is not connected to the active relayer',
    prometheus: { expression: [`causeway_relayer_attester_instances == 0 ${ON_ACTIVE}`], for: '2m' },
  },
  NoAttesterToSpare: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'Every connected attester must sign on {{ $labels.chain }}, so one more failure stops deliveries',
    prometheus: {
      expression: [
        `causeway_relayer_attesters_asking == (${IS_NEEDED})`,
        `and causeway_relayer_attesters > causeway_relayer_attesters_needed ${ON_ACTIVE}`,
      ],
      for: '2m',
    },
  },
  AttestersTooFew: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'Too few attesters are connected to sign on {{ $labels.chain }}',
    prometheus: {
      expression: [`causeway_relayer_attesters_asking < (${IS_NEEDED}) ${ON_ACTIVE}`],
      for: '1m',
    },
  },
  AttestersDisagree: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'The attester {{ $labels.attester }} refused an item that another accepted',
    prometheus: { expression: ['max by (attester) (increase (causeway_relayer_attester_dissents_total[15m])) > 0'] },
  },
  AttesterTwice: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'Several processes use the key of the attester {{ $labels.attester }}',
    prometheus: { expression: ['max by (attester) (causeway_relayer_attester_instances) > 1'], for: '2m' },
  },
} as const satisfies Readonly<Record<string, AlertRule>>;
