import { OFFICES } from '../calls/calls.js';
import { defineCommand, type AdminCommand } from './command.js';
import { account, choice, directionOption, oneChainOption, parseHash, value } from './options.js';
import { planVoteEnd, planVoteReplace, planVoteUnpause, planWithdrawVote } from '../plans/votes.js';

/** The votes of the admin's offices. Each chain has its own. */
export const OFFICE_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'vote-replace',
    description: 'votes to pass an office to another account; the second vote executes it',
    role: 'office',
    options: {
      chain: oneChainOption,
      office: choice('office', 'the office to replace', OFFICES),
      to: account('its new account, which must have no role or office'),
    },
    plan: (terms) => ({
      chains: [terms.chain],
      plan: async (book, clients) => planVoteReplace(book, terms, clients),
    }),
  }),
  defineCommand({
    name: 'vote-unpause',
    description: 'votes to lift the last pause of a direction; the second vote executes it',
    role: 'office',
    options: { chain: oneChainOption, direction: directionOption },
    plan: (terms) => ({
      chains: [terms.chain],
      plan: async (book, clients) => planVoteUnpause(book, terms, clients),
    }),
  }),
  defineCommand({
    name: 'vote-end',
    description: 'votes to end a succession; the second vote executes it',
    role: 'office',
    options: { chain: oneChainOption },
    plan: ({ chain }) => ({
      chains: [chain],
      plan: async (book, clients) => planVoteEnd(book, chain, clients),
    }),
  }),
  defineCommand({
    name: 'withdraw-vote',
    description: 'withdraws your own vote',
    role: 'office',
    options: { chain: oneChainOption, subject: value('hash', 'the subject that the vote printed', parseHash) },
    plan: (terms) => ({
      chains: [terms.chain],
      plan: async (book, clients) => planWithdrawVote(book, terms, clients),
    }),
  }),
];
