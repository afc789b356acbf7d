import { createRequire } from 'node:module';
import type { RetryEvent } from '@causeway/sdk';
import { Command, CommanderError, Option } from 'commander';
import type { CommandModule, Context, GlobalFlags, Surroundings } from './command.js';
import { describeExitCodes, EXIT_CODES, type Exit } from './output/exit-codes.js';
import { Printer, type Streams } from './output/printer.js';

type AnyCommand = CommandModule<never, never>;

/** Read at run time, since a release writes the version after the build. */
const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };

/** The commands. A command's module is loaded when it runs, to start fast. */
const COMMANDS: readonly (readonly [name: string, summary: string, load: () => Promise<{ command: AnyCommand }>])[] = [
  ['quote', 'show fee, output and time of a transfer', () => import('./commands/quote.js')],
  ['limits', 'show fees, minimum, maximum and deliverable amounts', () => import('./commands/limits.js')],
  ['deposit', 'send an asset from Ethereum to the partner chain', () => import('./commands/deposit.js')],
  ['burn', 'send a token from the partner chain to Ethereum', () => import('./commands/burn.js')],
  ['withdraw', 'send XCN from the partner chain to Ethereum', () => import('./commands/withdraw.js')],
  ['claim', 'claim a credit: a delivery that its recipient did not accept', () => import('./commands/claim.js')],
  ['status', 'show the status of a transfer', () => import('./commands/status.js')],
  ['history', 'list the transfers of an account', () => import('./commands/history.js')],
  ['resume', 'list open transfers, or continue one', () => import('./commands/resume.js')],
  ['explain', 'explain what happened to a transaction, and what to do', () => import('./commands/explain.js')],
  ['doctor', 'check API, nodes, contracts, clock and balances', () => import('./commands/doctor.js')],
  ['verify', 'check the whole bridge, or one transfer, through your own nodes', () => import('./commands/verify.js')],
  ['networks', 'show environments, and the chains and contracts of a bridge', () => import('./commands/networks.js')],
  ['completion', 'print the completion script of a shell', () => import('./commands/completion.js')],
];

/**
 * Runs a command line.
 *
 * @param words the arguments after the name of the program.
 * @returns the exit code. Failures are printed.
 */
export async function runProgram(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, streams, signal } = surroundings;
  let exit: Exit = 'done';
  const isJson = words.includes('--json');
  const program = makeProgram(streams, isJson);
  const makePrinter = ({ json, color }: Partial<GlobalFlags>) =>
    new Printer(
      streams,
      json === true,
      color !== false && (env['NO_COLOR'] ?? '') === '',
      env['DOCS_URL'] || undefined,
    );
  program.hook('preSubcommand', async (_, command) => {
    const module = await defineByName(command);
    command.action(async () => {
      const flags = program.opts<GlobalFlags>();
      const printer = makePrinter(flags);
      const onRetry = ({ request, waitMs }: RetryEvent) =>
        printer.line(`${request} failed, trying again in ${Math.ceil(waitMs / 1_000)} s`, 'faint');
      const context: Context = {
        flags,
        env,
        streams,
        reads: { signal, onRetry },
        printer,
        loadProgram: async () => loadProgram(streams),
      };
      exit = await module.run(context, command.opts<never>(), command.processedArgs as never);
    });
  });
  try {
    if (words[0] === 'verify') return await (await import('./commands/verify.js')).passOn(words.slice(1), surroundings);
    await program.parseAsync(words, { from: 'user' });
    return EXIT_CODES[exit].code;
  } catch (error) {
    // --help and --version end this way.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Without a command, a person gets the help alone.
    if (error instanceof CommanderError && error.code === 'commander.help' && !isJson) return EXIT_CODES.usage.code;
    return EXIT_CODES[makePrinter({ json: isJson, color: !words.includes('--no-color') }).failure(error)].code;
  }
}

/** Loads the program with the arguments and options of all commands. */
export async function loadProgram(streams: Streams): Promise<Command> {
  const program = makeProgram(streams);
  await Promise.all(program.commands.map(defineByName));
  return program;
}

function makeProgram({ output, errors }: Streams, isJson = false): Command {
  const program = new Command('causeway')
    .description('Transfers between Ethereum and the partner chain.')
    .version(version)
    // commander's own command would show commands whose modules are not loaded.
    .helpCommand(false)
    .option('--api <url>', 'URL of the REST API (or CAUSEWAY_API)')
    .addOption(
      new Option('--environment <name>', 'refuse a bridge of any other environment').choices([
        'local',
        'testnet',
        'mainnet',
      ]),
    )
    .option('--address-book <file>', 'refuse a bridge whose contracts differ from this file')
    .option(
      '--ethereum-rpc <url>',
      'node of Ethereum (or CAUSEWAY_ETHEREUM_RPC; default: the public node that the API names)',
    )
    .option(
      '--partner-rpc <url>',
      'node of the partner chain (or CAUSEWAY_PARTNER_RPC; default: the one that the API names)',
    )
    .option('--json', 'print JSON: one object, or one object a line')
    .option('--no-color', 'print without colours (or NO_COLOR)')
    .addHelpText('after', `\n${describeExitCodes()}`);
  for (const [name, summary] of COMMANDS) program.command(name).description(summary);
  for (const command of [program, ...program.commands]) configure(command, output, isJson ? null : errors);
  return program;
}

/** @param errors stream for the help when no command is named; null with `--json`. */
function configure(command: Command, output: Streams['output'], errors: Streams['errors'] | null): void {
  command
    .exitOverride()
    .showHelpAfterError(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors?.write(text),
      // The printer prints the error, as JSON with --json.
      outputError: () => undefined,
    });
}

/** Loads the module of a command and adds its arguments and options. */
async function defineByName(command: Command): Promise<AnyCommand> {
  const load = COMMANDS.find(([name]) => name === command.name())?.[2];
  if (load === undefined) throw new Error(`The command ${command.name()} has no file`);
  const { command: module } = await load();
  module.define(command);
  return module;
}
