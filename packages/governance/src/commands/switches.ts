import { parseWithUnit } from '../amounts.js';
import type { AddressBook } from '@causeway/contracts/address-book';
import { setListing, windDown } from '../plans/listings.js';
import { pause, unpause } from '../plans/pauses.js';
import { defineCommand, type AdminCommand, type CommandOption } from './command.js';
import { assetOption, chainOption, choice, chosen, directionOption, flag, value, withoutChanges } from './options.js';

const yesOrNo = (description: string) => choice('answer', description, ['yes', 'no']);
const releaseCost: CommandOption<bigint | null> = {
  ...value(
    'amount',
    'highest fee from then on, such as "0.001 ETH"; "none" keeps the current fees',
    (text, { asset }) => (text === 'none' ? null : parseWithUnit(String(asset), text)),
  ),
  fallback: 'none',
};

/** The commands that stop and resume directions and assets. */
export const SWITCH_COMMANDS: readonly AdminCommand[] = [
  defineCommand({
    name: 'pause',
    description: 'stops a direction on both chains, or on the chain that allows it',
    role: 'pauser',
    options: {
      direction: directionOption,
      'without-end': flag("as the admin: beginnings stay paused beyond a guardian's 7 days"),
      chain: chainOption,
    },
    isWorthHalf: true,
    needsConfirmation: false,
    plan: (options) => {
      const role = options['without-end'] ? 'admin' : 'pauser';
      const fromBook = (book: AddressBook) => pause(book, options.direction, role);
      return { chains: chosen(options.chain), plan: (book) => withoutChanges(fromBook(book)), fromBook };
    },
  }),
  defineCommand({
    name: 'unpause',
    description: 'lifts the last pause of a direction on both chains, by its number',
    role: 'admin',
    options: { direction: directionOption, chain: chainOption },
    plan: (options) => ({
      chains: chosen(options.chain),
      plan: async (book, clients) => unpause(book, options.direction, clients),
    }),
  }),
  defineCommand({
    name: 'wind-down',
    description: 'ends the deposits of an asset; all holders can still withdraw',
    role: 'admin',
    options: { asset: assetOption, 'release-cost': releaseCost, chain: chainOption },
    plan: ({ asset, chain, ...rest }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => windDown(book, { asset, releaseCost: rest['release-cost'] }, clients),
    }),
  }),
  defineCommand({
    name: 'set-listing',
    description: 'sets whether operations of an asset may begin and be delivered',
    role: 'admin',
    options: {
      asset: assetOption,
      'may-begin': yesOrNo('whether operations may begin: deposits, withdrawals'),
      'may-deliver': yesOrNo('whether operations may be delivered: mints, releases'),
      chain: chainOption,
    },
    plan: ({ asset, chain, ...answers }) => ({
      chains: chosen(chain),
      plan: async (book, clients) => {
        const listing = { mayBegin: answers['may-begin'] === 'yes', mayDeliver: answers['may-deliver'] === 'yes' };
        return setListing(book, { asset, ...listing }, clients);
      },
    }),
  }),
];
