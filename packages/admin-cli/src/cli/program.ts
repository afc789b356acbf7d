import { describeRelease } from '@causeway/service/configuration';
import { readAddressBook } from '@causeway/contracts/deploy';
import { Command, Option } from 'commander';
import { type AdminCommand, type CommandOption, ADMIN_COMMANDS } from '@causeway/governance';
import { addAccountsCommand } from './accounts-command.js';
import { addDoctorCommand } from './doctor-command.js';
import { addDeployCommands } from './deploy-command.js';
import { runHashCommand, runHashFile, type HashOptions } from './hash-command.js';
import { addMigrateCommands } from './migrate-command.js';
import { KEY_VARIABLE, runCommand, type SharedOptions } from './run-command.js';
import { recordRelayer } from './record-relayer.js';
import { parseAddress, reportFailure } from './terminal.js';
import { addTestTokensCommand } from './test-tokens-command.js';
import { addUpgradeCommand } from './upgrade-command.js';

// The command line, generated from the table of commands.

const program = new Command('causeway-admin')
  .description(
    'Deploys a bridge, migrates its database, changes its keys and settings, and moves its fees. ' +
      'The commands of role holders show their decoded calls, and send nothing without --send.',
  )
  .version(describeRelease('causeway-admin'))
  .addHelpText(
    'after',
    `
Exit codes:
  0  done, or shown by a dry run
  1  refused, or failed on the chain in the message; the other chain may have changed
  2  migrate status: migrations are pending
  78 the configuration or the database schema does not fit

Examples:
  causeway-admin example testnet > testnet.json
  causeway-admin deploy local --config local.json --dry-run --from 0x... --ethereum-rpc http://127.0.0.1:8545 --partner-rpc http://127.0.0.1:8546
  causeway-admin pause --direction both --from 0x... --book book.json --ethereum-rpc http://127.0.0.1:8545 --partner-rpc http://127.0.0.1:8546
  causeway-admin pause --direction both --send --keystore guardian.json --password-file password --book book.json --ethereum-rpc http://127.0.0.1:8545 --partner-rpc http://127.0.0.1:8546`,
  );

program.commandsGroup('Deployment:');
addAccountsCommand(program);
addTestTokensCommand(program);
addDeployCommands(program);

program.commandsGroup('Database:');
addMigrateCommands(program);
addUpgradeCommand(program);

program.commandsGroup('Calls of the role holders:');
for (const command of ADMIN_COMMANDS) {
  const own = withNodes(program.command(command.name).description(`${command.description} (${command.role})`))
    .option('--from <address>', 'account for a dry run without a key', parseAddress)
    .option('--send', 'send the calls', false)
    .option('--keystore <file>', `encrypted key that signs (Web3 Secret Storage); locally also ${KEY_VARIABLE}`)
    .option('--password-file <file>', 'file with its password (default: asks)');
  if (command.needsConfirmation) own.option('--yes', 'send without asking', false);
  withOptions(own, command).action(async (options: SharedOptions & GivenOptions) => {
    const { isWorthHalf, needsConfirmation } = command;
    if (options.book !== undefined) readAddressBook(options.book);
    const plan = command.read(toTexts(command, options));
    // Reads both contracts even if one chain was chosen: its call may have been the last one missing.
    const after: Parameters<typeof runCommand>[1]['after'] = async (bookFile, clients, onLine) =>
      recordRelayer({ bookFile, clients, writes: options.send, onLine });
    await runCommand(options, { ...plan, isWorthHalf, needsConfirmation, ...(command.recordsRelayer && { after }) });
  });
}

program.commandsGroup('Checks:');
addDoctorCommand(program);
const hash = program
  .command('hash')
  .description('recomputes the hash of a call from the address book, to compare it with the hash in the console')
  .option('--safe-file <file>', 'file for a Safe: shows its decoded calls and their hashes')
  .option('--book <file>', 'address book of the deployment, JSON (required)')
  .action(async (options: HashOptions) => runHashFile(options));
for (const command of ADMIN_COMMANDS) {
  const own = withNodes(hash.command(command.name).description(command.description)).option(
    '--signer <address>',
    'the account that will sign (required for calls of the admin)',
    parseAddress,
  );
  withOptions(own, command).action(async () => {
    // The parent command also has --book, and receives it.
    const options = own.optsWithGlobals<HashOptions & GivenOptions>();
    await runHashCommand(command, toTexts(command, options), options);
  });
}

await program.parseAsync().catch(reportFailure);

/** The options of the table, as parsed by commander. */
type GivenOptions = Readonly<Record<string, unknown>>;

function withNodes(command: Command): Command {
  return command
    .option('--book <file>', 'address book of the deployment, JSON (required)')
    .option('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .option('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node');
}

function withOptions(target: Command, { options }: AdminCommand): Command {
  for (const [name, option] of Object.entries(options)) target.addOption(toOption(name, option));
  return target;
}

function toOption(name: string, { placeholder, description, choices, fallback }: CommandOption): Option {
  if (placeholder === null) return new Option(`--${name}`, description).default(false);
  const option = new Option(`--${name} <${placeholder}>`, description);
  // Only for the help. The table checks the value, since it has all assets once the address book was read.
  if (choices !== null) option.choices(choices).argParser((text) => text);
  return fallback === null ? option.makeOptionMandatory() : option.default(fallback);
}

/** The option texts that a command reads, with yes or no for a switch. */
function toTexts({ options }: AdminCommand, given: GivenOptions): Readonly<Record<string, string>> {
  const texts = Object.entries(options).map(([name, option]) => {
    const text = given[toOption(name, option).attributeName()];
    return [name, typeof text === 'boolean' ? (text ? 'yes' : 'no') : String(text)] as const;
  });
  return Object.fromEntries(texts);
}
