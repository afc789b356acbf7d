import { Option, type Command } from 'commander';
import { parseAddress } from '../../cli/terminal.js';
import { CHAIN_NAMES, type ChainName } from '../../deploy/chains.js';
import type { AdminCall, PlannedCalls } from '../calls.js';
import { KEY_VARIABLE, type SharedOptions } from '../run-command.js';

/** The options of a command that acts on one chain or both. */
export interface ChainOptions extends SharedOptions {
  readonly chain: ChainName | 'both';
}

/** `--asset`, any asset. */
export const assetOption = new Option('--asset <asset>', 'asset').choices(['ETH', 'USDC', 'XCN']).makeOptionMandatory();

/** `--chain`, one chain. */
export const oneChainOption = new Option('--chain <chain>', 'chain').choices(CHAIN_NAMES).makeOptionMandatory();

/** `--chain`, both chains unless one is named. */
export const chainOption = new Option('--chain <chain>', 'the chain to act on; only its node is needed')
  .choices([...CHAIN_NAMES, 'both'])
  .default('both');

/** Adds a command with the options that every command has. */
export function addCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--book <file>', 'address book of the deployment, JSON (required)')
    .option('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .option('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
    .option('--from <address>', 'account for a dry run without a key', parseAddress)
    .option('--send', 'send the calls', false)
    .option('--keystore <file>', `encrypted key that signs (Web3 Secret Storage); locally also ${KEY_VARIABLE}`)
    .option('--password-file <file>', 'file with its password (default: asks)');
}

/** Adds a command that shows a change before it sends: it asks, unless `--yes` is given. */
export function addConfirmed(program: Command, name: string, description: string): Command {
  return addCommand(program, name, description).option('--yes', 'send without asking', false);
}

/** The chains that `--chain` names. */
export function chosen(choice: ChainName | 'both'): readonly ChainName[] {
  return choice === 'both' ? CHAIN_NAMES : [choice];
}

/** For calls whose decoded arguments say everything. */
export function withoutChanges(calls: readonly AdminCall[]): PlannedCalls {
  return { calls, changes: [] };
}
