import type { Hex } from 'viem';
import { CHAIN_NAMES } from '@causeway/contracts/deploy';
import { defineCommand, type AdminCommand } from './command.js';
import { oneChainOption, parseHash, value } from './options.js';
import { planReopen, planReopenIds } from '../plans/openings.js';

/** The commands that reopen numbers and ids that a stolen relayer key used up. */
export const OPENING_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'reopen',
    description: 'reopens the numbers that false deliveries on a chain used up; needs both nodes',
    role: 'admin',
    options: { chain: oneChainOption },
    plan: ({ chain }) => ({
      chains: CHAIN_NAMES,
      plan: async (book, clients, _, report) => planReopen(book, chain, clients, report),
    }),
  }),
  defineCommand({
    name: 'reopen-ids',
    description: 'reopens intents (ethereum) or refunds (partner) that false payments used up',
    role: 'admin',
    options: { chain: oneChainOption, ids: value('hashes', 'their ids, separated by commas', parseIds) },
    plan: ({ chain, ids }) => ({
      chains: [chain],
      plan: async (book, clients, _, report) => planReopenIds(book, { chain, ids }, clients, report),
    }),
  }),
];

function parseIds(text: string): readonly Hex[] {
  const ids = text.split(',').map((id) => parseHash(id.trim()));
  if (new Set(ids).size < ids.length) throw new Error('must not repeat an id');
  return ids;
}
