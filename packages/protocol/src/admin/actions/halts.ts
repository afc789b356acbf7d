import type { RequestSnapshot } from '../request-snapshot.js';
import { defineAction, NO_SIGNATURE, TWO } from './action.js';
import type { FieldValues } from './fields.js';
import { NOTHING_PAID, PLACES, UNKNOWN } from './words.js';

type Acceptance = FieldValues<'accept'>['accept'];

/** Names of a target in titles, error texts and signed words. */
const TARGETS = {
  ethereum: { title: 'Ethereum', object: 'the chain ethereum', ...PLACES.ethereum },
  partner: { title: 'the partner chain', object: 'the chain partner', ...PLACES.partner },
  deliveries: {
    title: 'deliveries',
    object: 'the deliveries',
    name: 'the deliveries to both chains',
    chain: 'Both chains',
  },
} as const;
const ACCEPTED_IN_TITLE: Readonly<Record<Acceptance, string>> = {
  nothing: '',
  reorg: ', accepting the reorg',
  unknown: ', accepting unknown deliveries',
};

/** Halts a chain or all deliveries. */
export const HALT = defineAction({
  fields: ['target'],
  about: 'halt',
  effect: 'Halts a chain, which stops reading it and all its operations, or halts deliveries only.',
  command: 'halt',
  role: 'operator',
  isDanger: true,
  signatures: NO_SIGNATURE,
  title: ({ target }) => `Halt ${TARGETS[target].title}`,
  validate: ({ target }, on) => {
    if (on.about !== 'halt') return `The relayer has never read ${TARGETS[target].object}: nothing to halt`;
    return on.halt === null ? null : `Halted already since ${on.halt.since}: ${on.halt.reason}`;
  },
  words: ({ target }) => {
    const { name, chain } = TARGETS[target];
    return { action: `Halt ${name}`, ...NOTHING_PAID, chain };
  },
});

/** Resumes a chain or the deliveries. */
export const RESUME = defineAction({
  fields: ['target', 'accept'],
  about: 'halt',
  effect: 'Resumes a halted chain if its nodes have the scanned blocks; otherwise prints the lost blocks.',
  command: 'resume',
  role: 'operator',
  signatures: {
    rule: 'none; two to accept lost final blocks or unknown deliveries',
    needed: ({ accept }) => (accept === 'nothing' ? 0 : TWO),
  },
  title: ({ target, accept }) => `Resume ${TARGETS[target].title}${ACCEPTED_IN_TITLE[accept]}`,
  validate: ({ target, accept }, on) => {
    if (on.about !== 'halt' || on.halt === null) return `Nothing halts ${TARGETS[target].object}: nothing to resume`;
    if (accept === 'reorg' && target === 'deliveries') return 'Only a chain can be resumed with lost final blocks';
    if (accept === 'unknown' && target !== 'deliveries') return 'Only the deliveries can be resumed with unknown ones';
    if (target === 'deliveries' && on.unknown.length > 0 && accept !== 'unknown')
      return `There are ${on.unknown.length} unknown deliveries. Look at each before you accept them`;
    return null;
  },
  words: ({ target, accept }, on) => {
    const { name, chain } = TARGETS[target];
    return { action: `Resume ${name}${sayAccepted(accept, on)}`, ...NOTHING_PAID, chain };
  },
});

function sayAccepted(accept: Acceptance, on: RequestSnapshot): string {
  if (accept === 'nothing') return '';
  if (accept === 'reorg') return ' and accept that it lost final blocks';
  const count = on.about === 'halt' ? on.unknown.length : UNKNOWN;
  return ` and accept ${count} unknown ${count === 1 ? 'delivery' : 'deliveries'}`;
}
