import type { Finding as AnyFinding } from '@causeway/service/doctor';

/** The subjects of findings, in the order of the report. */
export const CHECKS = ['configuration', 'nodes', 'clock', 'key', 'set', 'limits', 'record', 'exchanges'] as const;

/** One line of the report. An `error` means that the attester does not work, or not safely. */
export type Finding = AnyFinding<(typeof CHECKS)[number]>;
