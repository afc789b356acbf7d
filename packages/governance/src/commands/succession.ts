import { CHAIN_NAMES } from '@causeway/contracts/deploy';
import { defineCommand, type AdminCommand } from './command.js';
import { account, assetAmount, assetOption, oneChainOption } from './options.js';
import { planAnnouncement, planClosing, planEndOfSuccession, planHandOver } from '../plans/succession.js';

/** The steps of a succession by the next edition of the contracts, in order. */
export const SUCCESSION_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'announce-successor',
    description: 'announces the contract that takes over after the exit window; local environment only',
    role: 'admin',
    options: { chain: oneChainOption, successor: account('the contract of the next edition') },
    plan: (terms) => ({
      chains: terms.chain === 'ethereum' ? ['ethereum'] : CHAIN_NAMES,
      plan: async (book, clients) => planAnnouncement(book, terms, clients),
    }),
  }),
  defineCommand({
    name: 'end-succession',
    description: 'ends a succession before the first hand-over',
    role: 'admin',
    options: { chain: oneChainOption },
    plan: ({ chain }) => ({
      chains: [chain],
      plan: async (book, clients) => planEndOfSuccession(book, chain, clients),
    }),
  }),
  defineCommand({
    name: 'close-for-ever',
    description: 'closes beginnings on a chain permanently; possible from three days before the end of the exit window',
    role: 'anyone',
    options: { chain: oneChainOption },
    plan: ({ chain }) => ({ chains: [chain], plan: async (book, clients) => planClosing(book, chain, clients) }),
  }),
  defineCommand({
    name: 'hand-over',
    description:
      'hands funds to the successor, or lets it mint a bridged token on partner; on ethereum last, with both nodes',
    role: 'admin',
    options: {
      chain: oneChainOption,
      asset: assetOption,
      amount: assetAmount('amount, such as "1.5 ETH"; 0 for a bridged token, which the successor can then mint too'),
    },
    plan: (terms) => ({
      chains: terms.chain === 'partner' ? ['partner'] : CHAIN_NAMES,
      plan: async (book, clients) => planHandOver(book, terms, clients),
    }),
  }),
];
