import type { Finding } from '@causeway/service/doctor';

/** The subjects of findings, in the order of the report. */
export const CHECKS = ['api', 'clock', 'nodes', 'contracts', 'pauses', 'limits', 'balances'] as const;

/** Something that doctor has looked at. With an `error` no transfer should begin. */
export type DoctorFinding = Finding<(typeof CHECKS)[number]>;
