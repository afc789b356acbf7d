import { Option, type Command } from 'commander';
import type { Asset } from '../../cli/amounts.js';
import { setListing, windDown } from '../listings.js';
import { pause, unpause, type Direction } from '../pauses.js';
import { runCommand } from '../run-command.js';
import {
  addCommand,
  addConfirmed,
  assetOption,
  chainOption,
  chosen,
  withoutChanges,
  type ChainOptions,
} from './options.js';

interface DirectionOptions extends ChainOptions {
  readonly direction: Direction;
}
interface ListingOptions extends ChainOptions {
  readonly asset: Asset;
  readonly mayBegin: 'yes' | 'no';
  readonly mayDeliver: 'yes' | 'no';
}

const direction = new Option('--direction <direction>', 'direction')
  .choices(['ethereum-to-partner', 'partner-to-ethereum', 'both'])
  .makeOptionMandatory();

/** Adds the commands that stop and resume directions and assets. */
export function addSwitchCommands(program: Command): void {
  addCommand(program, 'pause', 'stops a direction on both chains, or where it can be done (guardian)')
    .addOption(direction)
    .option('--without-end', 'as the admin: beginnings stay paused after the 7 days of a guardian', false)
    .addOption(chainOption)
    .action(async (options: DirectionOptions & { withoutEnd: boolean }) => {
      const role = options.withoutEnd ? 'admin' : 'guardian';
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: (book) => withoutChanges(pause(book, options.direction, role)),
        isWorthHalf: true,
      });
    });
  addConfirmed(program, 'unpause', 'lifts the last pause of a direction on both chains, by its number (admin)')
    .addOption(direction)
    .addOption(chainOption)
    .action(async (options: DirectionOptions) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => unpause(book, options.direction, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'wind-down', 'ends the deposits of an asset, and lets every holder withdraw (admin)')
    .addOption(assetOption)
    .addOption(chainOption)
    .action(async (options: ChainOptions & { asset: Asset }) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => windDown(book, options.asset, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-listing', 'sets whether an asset may begin and be delivered (admin)')
    .addOption(assetOption)
    .addOption(yesOrNo('--may-begin <answer>', 'whether operations may begin: deposits, withdrawals'))
    .addOption(yesOrNo('--may-deliver <answer>', 'whether operations that began may be delivered: mints, releases'))
    .addOption(chainOption)
    .action(async ({ asset, mayBegin, mayDeliver, ...options }: ListingOptions) => {
      const listing = { asset, mayBegin: mayBegin === 'yes', mayDeliver: mayDeliver === 'yes' };
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => setListing(book, listing, clients),
        needsConfirmation: true,
      });
    });
}

function yesOrNo(flags: string, description: string): Option {
  return new Option(flags, description).choices(['yes', 'no']).makeOptionMandatory();
}
