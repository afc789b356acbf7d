/**
 * Calls that may travel in one batch. A node answers a batch when its slowest call is done, so what can take long must not hold up what is
 * quick, and transactions do not share the fate of reads.
 */
export type Lane = 'read' | 'execute' | 'heavy' | 'send';
