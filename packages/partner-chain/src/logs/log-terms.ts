import type { Log } from './log.js';

/** Where in a log a term stands: its address, or one of its topics by position. */
export type TermKind = 'address' | 0 | 1 | 2 | 3;

/** The key of a term in the index of logs: a byte for the kind, then the address or topic. Each is followed by block number and log index. */
export function termKey(kind: TermKind, value: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(kind === 'address' ? 0 : kind + 1), value]);
}

/** All terms by which a log can be found. */
export function termsOf(log: Log): Buffer[] {
  return [
    termKey('address', log.address),
    ...log.topics.map((topic, position) => termKey(position as 0 | 1 | 2 | 3, topic)),
  ];
}
