import type { AlertRule } from './alert-rule.js';

/** A relayer that is passive shows no items, and attesters may dial the active one alone. */
const ON_ACTIVE = 'and on (instance) causeway_relayer_lease_held == 1';
/** Where the contracts ask for signatures. */
const IS_NEEDED = 'causeway_relayer_attesters_needed > 0';

/** The alerts about attesters, as the relayer that they dial sees them. Only Prometheus raises them. */
export const ATTESTER_ALERTS = {
  AttesterLost: {
    about: 'the attesters',
    severity: 'warning',
    summary: 'The attester {{ $labels.attester }} does not ask the relayer',
    prometheus: { expression: [`causeway_relayer_attester_instances == 0 ${ON_ACTIVE}`], for: '2m' },
  },
  NoAttesterToSpare: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'So few attesters are left that each of them must sign on {{ $labels.chain }}',
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
    summary: 'Too few attesters are left to sign on {{ $labels.chain }}',
    prometheus: {
      expression: [`causeway_relayer_attesters_asking < (${IS_NEEDED}) ${ON_ACTIVE}`],
      for: '1m',
    },
  },
  AttestersDisagree: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'The attester {{ $labels.attester }} refuses what another accepts',
    prometheus: { expression: ['max by (attester) (increase (causeway_relayer_attester_dissents_total[15m])) > 0'] },
  },
  AttesterTwice: {
    about: 'the attesters',
    severity: 'critical',
    summary: 'Several processes use the key of the attester {{ $labels.attester }}',
    prometheus: { expression: ['max by (attester) (causeway_relayer_attester_instances) > 1'], for: '2m' },
  },
} as const satisfies Readonly<Record<string, AlertRule>>;
