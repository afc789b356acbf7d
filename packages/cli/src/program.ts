import { createRequire } from 'node:module';
import { Command, CommanderError, Option } from 'commander';
import type { CommandModule, Context, GlobalFlags } from './command.js';
import { describeExitCodes, EXIT_CODES, type Exit } from './output/exit-codes.js';
import { Printer, type Streams } from './output/printer.js';

type AnyCommand = CommandModule<never, never>;

/** Read where the program is installed: a release writes the version after the build. */
const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };

/** The commands. The file of one is read when it runs, so that a command starts fast. */
const COMMANDS: readonly (readonly [name: string, summary: string, load: () => Promise<{ command: AnyCommand }>])[] = [
  ['quote', 'fee, output and time of a transfer', () => import('./commands/quote.js')],
  ['limits', 'bounds, fees and amounts that can be delivered now', () => import('./commands/limits.js')],
  ['deposit', 'send an asset from Ethereum to the partner chain', () => import('./commands/deposit.js')],
  ['burn', 'send a token from the partner chain to Ethereum', () => import('./commands/burn.js')],
  ['withdraw', 'send XCN from the partner chain to Ethereum', () => import('./commands/withdraw.js')],
  ['claim', 'take a credit that a recipient did not receive', () => import('./commands/claim.js')],
  ['status', 'how far a transfer is', () => import('./commands/status.js')],
  ['history', 'the transfers of an account', () => import('./commands/history.js')],
  ['resume', 'list open transfers, or continue one', () => import('./commands/resume.js')],
  ['explain', 'what became of a transaction, and what to do', () => import('./commands/explain.js')],
  ['doctor', 'check API, nodes, contracts, clock and balances', () => import('./commands/doctor.js')],
  ['networks', 'environments, and the chains and contracts of a bridge', () => import('./commands/networks.js')],
  ['completion', 'completion of a shell', () => import('./commands/completion.js')],
];

/** Everything outside the program. */
export interface Surroundings {
  readonly env: Context['env'];
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

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
      const context: Context = {
        flags,
        env,
        streams,
        signal,
        printer: makePrinter(flags),
        loadProgram: async () => loadProgram(streams),
      };
      exit = await module.run(context, command.opts<never>(), command.processedArgs as never);
    });
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT_CODES[exit].code;
  } catch (error) {
    // Help and version.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Without a command the help says everything to a person.
    if (error instanceof CommanderError && error.code === 'commander.help' && !isJson) return EXIT_CODES.usage.code;
    return EXIT_CODES[makePrinter({ json: isJson, color: !words.includes('--no-color') }).failure(error)].code;
  }
}

/** The program with the arguments and options of all commands. */
export async function loadProgram(streams: Streams): Promise<Command> {
  const program = makeProgram(streams);
  await Promise.all(program.commands.map(defineByName));
  return program;
}

function makeProgram({ output, errors }: Streams, isJson = false): Command {
  const program = new Command('causeway')
    .description('Transfers between Ethereum and the partner chain.')
    .version(version)
    // It would show a command whose file is not read.
    .helpCommand(false)
    .option('--api <url>', 'address of the REST API (or CAUSEWAY_API)')
    .addOption(
      new Option('--environment <name>', 'refuse a bridge of another environment').choices([
        'local',
        'testnet',
        'mainnet',
      ]),
    )
    .option('--address-book <file>', 'refuse a bridge with other contracts than this file names')
    .option('--ethereum-rpc <url>', 'node of Ethereum (or CAUSEWAY_ETHEREUM_RPC); by default the public one of the API')
    .option('--partner-rpc <url>', 'node of the partner chain (or CAUSEWAY_PARTNER_RPC); by default that of the API')
    .option('--json', 'print JSON for programs: one object, or one a line')
    .option('--no-color', 'print without colours (or NO_COLOR)')
    .addHelpText('after', `\n${describeExitCodes()}`);
  for (const [name, summary] of COMMANDS) program.command(name).description(summary);
  for (const command of [program, ...program.commands]) configure(command, output, isJson ? null : errors);
  return program;
}

/** @param errors shows the help when no command is named; null where a program reads. */
function configure(command: Command, output: Streams['output'], errors: Streams['errors'] | null): void {
  command
    .exitOverride()
    .showHelpAfterError(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors?.write(text),
      // The printer says it, in JSON where a program asks for it.
      outputError: () => undefined,
    });
}

/** Reads the file of a command and adds its arguments and options. */
async function defineByName(command: Command): Promise<AnyCommand> {
  const load = COMMANDS.find(([name]) => name === command.name())?.[2];
  if (load === undefined) throw new Error(`The command ${command.name()} has no file`);
  const { command: module } = await load();
  module.define(command);
  return module;
}
