import type { Finding as AnyFinding } from '@causeway/service/doctor';

/** The subjects of findings, in the order of the report. */
export const CHECKS = [
  'configuration',
  'signer',
  'nodes',
  'clock',
  'contracts',
  'keys',
  'pauses',
  'attesters',
  'listing',
  'database',
  'balances',
] as const;

/** One line of the report. An `error` means that the relayer does not work, or not safely. */
export type Finding = AnyFinding<(typeof CHECKS)[number]>;
