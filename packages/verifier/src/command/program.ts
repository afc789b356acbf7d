import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import type { Hex } from 'viem';
import { describeExitCodes, EXIT_CODES, InterruptedError, UsageError, type Exit } from './exit-codes.js';
import { Progress, type ErrorStream } from './progress.js';
import { describeBridge, describeOperation, toJson } from './report.js';
import { connect, readBook, type Flags, type Run } from './setup.js';
import { locateState } from './state-file.js';
import { verifyBridge } from './verify-bridge.js';
import { verifyOperation, verifyProof } from './verify-operation.js';

export { EXIT_CODES } from './exit-codes.js';

/** The parts of its process that the program uses. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly streams: { readonly output: NodeJS.WritableStream; readonly errors: ErrorStream };
  readonly signal: AbortSignal;
}

const EXAMPLES = `
Examples:
  causeway-verify --address-book book.json --ethereum-rpc https://a.example --partner-rpc https://b.example
  causeway-verify 0x5c…e1 --address-book book.json --ethereum-rpc … --partner-rpc …   one operation, with its proof
  causeway-verify --proof causeway-proof-0x5c….json --address-book book.json          a proof, without nodes

Give each --…-rpc several times: more than half of the nodes of a chain must agree.

${describeExitCodes()}`;

/**
 * Runs a command line.
 *
 * @param words the arguments after the name of the program.
 * @returns the exit code. Failures are printed.
 */
export async function runVerify(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { streams } = surroundings;
  const isJson = words.includes('--json');
  let exit: Exit = 'right';
  const program = makeProgram(streams);
  program.action(async (asked: string | undefined, intent: string | undefined, flags: Flags) => {
    exit = await verify(readWords(asked, intent), flags, surroundings);
  });
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    // --help and --version end this way.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    exit = printFailure(error, streams.errors, isJson);
  }
  return EXIT_CODES[exit].code;
}

async function verify(
  words: { readonly asked: Hex | null; readonly intent: Hex | null },
  flags: Flags,
  { env, streams, signal }: Surroundings,
): Promise<Exit> {
  const run: Run = { flags, env, signal, progress: new Progress(streams.errors, flags.json === true) };
  const settings = await readBook(flags);
  const { asked, intent } = words;
  const print = <T extends { readonly result: Exit }>(report: T, describe: (report: T) => string): Exit => {
    streams.output.write(`${flags.json === true ? toJson(report) : describe(report)}\n`);
    return report.result;
  };
  if (flags.reserves !== undefined && (asked !== null || flags.proof !== undefined))
    throw new UsageError('reserves', 'belongs to the whole bridge: leave out the hash and --proof');
  if (asked === null && flags.proof !== undefined)
    return print(await verifyProof(flags.proof, settings), describeOperation);
  const check = async (): Promise<Exit> => {
    const setup = await connect(flags, env, settings);
    return asked === null
      ? print(await verifyBridge(setup, run), describeBridge)
      : print(await verifyOperation({ asked, intent }, setup, run), describeOperation);
  };
  try {
    const again = `The same command${flags.fresh === true ? ' without --fresh' : ''}`;
    return await interruptible(check, signal, `${again} continues from ${locateState(flags, env, settings)}.`);
  } finally {
    run.progress.clear();
  }
}

/** Ends with the work, or with the interruption. The state file keeps what was saved last. */
async function interruptible<T>(work: () => Promise<T>, signal: AbortSignal, nextStep: string): Promise<T> {
  if (signal.aborted) throw new InterruptedError(nextStep);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new InterruptedError(nextStep)), { once: true });
    work().then(resolve, reject);
  });
}

function readWords(asked: string | undefined, intent: string | undefined) {
  const read = (name: string, text: string | undefined): Hex | null => {
    if (text === undefined) return null;
    if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase() as Hex;
    throw new UsageError(name, 'must be 0x and 64 hex digits: an id, or the hash of a transaction');
  };
  return { asked: read('hash', asked), intent: read('intent', intent) };
}

function makeProgram({ output, errors }: Surroundings['streams']): Command {
  const collect = (url: string, urls: readonly string[] = []) => [...urls, url];
  // Read at run time, since a release writes the version after the build.
  const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string };
  return new Command('causeway-verify')
    .description('Checks the whole bridge, or one operation, through your own nodes.')
    .version(version)
    .argument('[hash]', 'id of an operation, or the transaction that began it; default: the whole bridge')
    .argument('[intent]', 'id of an intent whose payment does not name it')
    .option('--address-book <file>', 'the contracts of the bridge')
    .option('--ethereum-rpc <url>', 'node of Ethereum, repeatable (or CAUSEWAY_ETHEREUM_RPC)', collect)
    .option('--partner-rpc <url>', 'node of the partner chain, repeatable (or CAUSEWAY_PARTNER_RPC)', collect)
    .option('--trust-nodes', 'accept the word of the nodes where none of them proves the state')
    .option('--confirmations <numbers>', 'blocks after which each chain is final (default: 12,6; local: 1,1)')
    .option(
      '--proof <file>',
      'with a hash: write its proof here (default: causeway-proof-<id>.json); alone: check it without nodes',
    )
    .option('--reserves [file]', 'also recompute the statements of reserves, of the file or of --api')
    .option('--api <url>', 'REST API with the statements (or CAUSEWAY_API)')
    .option('--state <file>', 'continue from and save to this file (default: in ~/.local/state/causeway)')
    .option('--fresh', 'read both chains from the start')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .configureHelp({ helpWidth: 100 })
    .configureOutput({
      writeOut: (text) => output.write(text),
      writeErr: (text) => errors.write(text),
      outputError: () => undefined,
    });
}

function printFailure(error: unknown, errors: ErrorStream, isJson: boolean): Exit {
  const { exit, ...failure } = describeFailure(error);
  const { message, nextStep } = failure;
  errors.write(
    isJson ? `${JSON.stringify(failure)}\n` : `error: ${message}${nextStep === null ? '' : `\n${nextStep}`}\n`,
  );
  return exit;
}

interface Failure {
  readonly exit: Exit;
  readonly error: string;
  readonly message: string;
  readonly field: string | null;
  readonly nextStep: string | null;
}

/** A cause is never shown: it can contain a node's URL with its key. */
function describeFailure(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // commander quotes the option or argument.
    const [message = ''] = error.message.replace(/^error: /, '').split('\n');
    const field = /'(?:.*, )?(?:--|<)?([\w-]+)/.exec(message)?.[1] ?? null;
    return { exit: 'usage', error: 'UsageError', message, field, nextStep: 'See causeway-verify --help.' };
  }
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  if (error instanceof UsageError)
    return { exit: 'usage', error: name, message, field: error.field, nextStep: error.nextStep };
  if (error instanceof InterruptedError)
    return { exit: 'interrupted', error: name, message, field: null, nextStep: error.nextStep };
  return { exit: 'failed', error: name, message, field: null, nextStep: null };
}
