import { InvalidArgumentError, Option, type Command } from 'commander';
import { zeroAddress, type Address } from 'viem';
import { parseAddress } from '../../cli/terminal.js';
import { replaceGuardian, replacePolicyManager, setAttesters, setStandby, setTreasury } from '../keys.js';
import { activateStandby, recordRelayer, rotateRelayer } from '../relayer.js';
import { runCommand, type SharedOptions } from '../run-command.js';
import { addCommand, addConfirmed, chainOption, chosen, withoutChanges, type ChainOptions } from './options.js';

interface ToOptions extends ChainOptions {
  readonly to: Address;
}

/** Adds the commands that replace keys. */
export function addKeyCommands(program: Command): void {
  addCommand(program, 'rotate-relayer', 'replaces the relayer on both chains, and in the address book (admin)')
    .requiredOption('--to <address>', 'the new relayer wallet', parseAddress)
    .addOption(chainOption)
    .action(async (options: ToOptions) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => withoutChanges(await rotateRelayer(book, options.to, clients)),
        after: recordAfter(options),
      });
    });
  addCommand(
    program,
    'activate-standby',
    'makes the announced standby the relayer, where it can be done, and in the address book (guardian)',
  )
    .addOption(chainOption)
    .action(async (options: ChainOptions) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: (book) => withoutChanges(activateStandby(book)),
        isWorthHalf: true,
        after: recordAfter(options),
      });
    });
  addConfirmed(program, 'set-standby', 'announces the relayer that the guardian may activate once (admin)')
    .requiredOption('--to <address>', 'the standby wallet; "none" withdraws it', addressOrNone)
    .addOption(chainOption)
    .action(async (options: ToOptions) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => setStandby(book, options.to, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-attesters', 'replaces the attester set; its attestations become void (admin)')
    .requiredOption('--attesters <addresses>', 'at most 9, separated by commas, in any order; or "none"', addresses)
    .requiredOption('--threshold <number>', 'signatures that a call needs which moves value', count)
    .addOption(chainOption)
    .action(async (options: ChainOptions & { attesters: readonly Address[]; threshold: number }) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => setAttesters(book, options, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'replace-guardian', "replaces the guardian, also in the admin's timelock (admin)")
    .requiredOption('--to <address>', 'the new guardian', parseAddress)
    .addOption(new Option('--lift-pauses', 'both directions resume in the same call').default(false))
    .addOption(chainOption)
    .action(async (options: ToOptions & { liftPauses: boolean }) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => replaceGuardian(book, options, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'replace-policy-manager', 'replaces the policy manager (admin)')
    .requiredOption('--to <address>', 'the new policy manager', parseAddress)
    .addOption(chainOption)
    .action(async (options: ToOptions) => {
      await runCommand(options, {
        chains: chosen(options.chain),
        plan: async (book, clients) => replacePolicyManager(book, options.to, clients),
        needsConfirmation: true,
      });
    });
  addConfirmed(program, 'set-treasury', 'replaces the account that collected fees go to (admin)')
    .requiredOption('--to <address>', 'the new treasury', parseAddress)
    .action(async (options: SharedOptions & { to: Address }) => {
      await runCommand(options, {
        chains: ['ethereum'],
        plan: async (book, clients) => setTreasury(book, options.to, clients),
        needsConfirmation: true,
      });
    });
}

/** Reads both contracts, even if one chain was chosen: that one may have been the last. */
function recordAfter({ send }: SharedOptions): NonNullable<Parameters<typeof runCommand>[1]['after']> {
  return async (bookFile, clients, onLine) => recordRelayer({ bookFile, clients, writes: send, onLine });
}

function addressOrNone(text: string): Address {
  return text === 'none' ? zeroAddress : parseAddress(text);
}

function addresses(text: string): readonly Address[] {
  return text === 'none' ? [] : text.split(',').map((one) => parseAddress(one.trim()));
}

function count(text: string): number {
  if (!/^\d$/.test(text)) throw new InvalidArgumentError('It must be a number from 0 to 9.');
  return Number(text);
}
