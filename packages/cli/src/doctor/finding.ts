import type { Finding } from '@causeway/service/doctor';

/** The subjects of findings, in the order of the report. */
export const CHECKS = ['proxy', 'api', 'clock', 'nodes', 'contracts', 'pauses', 'limits', 'balances'] as const;

/** The result of one check of `doctor`. After an `error`, no transfer should begin. */
export type DoctorFinding = Finding<(typeof CHECKS)[number]>;
