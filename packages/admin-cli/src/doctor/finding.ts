import type { Finding as AnyFinding } from '@causeway/service/doctor';

/** The steps of docs/operate/setup.md, in order. */
export const STEPS = [
  'accounts',
  'tokens',
  'contracts',
  'offices',
  'database',
  'keystores',
  'nodes',
  'gateway',
  'services',
  'transfer',
] as const;

/** A step of setting up a bridge. */
export type Step = (typeof STEPS)[number];

/** One line of the report. */
export type Finding = AnyFinding<Step>;
