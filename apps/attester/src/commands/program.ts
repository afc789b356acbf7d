import { describeRelease, getExitCode, variablesHelp } from '@causeway/service/configuration';
import { formatReport } from '@causeway/service/doctor';
import { Command, CommanderError } from 'commander';
import { readConfiguration } from '../configuration/configuration.js';
import { attesterVariables } from '../configuration/variables.js';
import { recoverRecord } from '../record/recover.js';

/**
 * Runs a command line without the program's name. A failure prints one message on stderr, and exits with the error's
 * exit code or 1.
 *
 * @param words an empty list starts the service.
 */
export async function runProgram(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(words.length === 0 ? ['start'] : [...words], { from: 'user' });
  } catch (error) {
    // Commander has already printed the message.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(getExitCode(error));
  }
}

function createProgram(): Command {
  const program = new Command('attester')
    .description('An attester of the bridge: judges deliveries and refunds, and signs what the chains owe.')
    .usage('<command>')
    .version(describeRelease('attester'))
    .helpCommand(false)
    .showHelpAfterError('Run it with --help for its usage.')
    .exitOverride()
    .addHelpText('after', () => `\n${variablesHelp(attesterVariables)}`);
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .addHelpText('after', '\nIt reads the environment variables that `attester --help` lists.');
  command('start', 'Starts the service. This is the default command.').action(async () => {
    const { startService } = await import('../service.js');
    await startService(readConfiguration(process.env));
  });
  command('doctor', 'Checks everything that the attester depends on, and says what to do. Read-only.')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { examineAttester } = await import('./doctor/doctor.js');
      const report = await examineAttester(process.env, Date.now);
      printLine(formatReport(report, json === true));
      process.exitCode = report.exitCode;
    });
  command(
    'prove',
    'Prints a proof of its key, for the admin who adds it to the attester set. The proof is valid for a day.',
  ).action(async () => {
    const { proveAttester } = await import('./prove.js');
    printLine(await proveAttester(readConfiguration(process.env), Date.now));
  });
  command(
    'recover',
    'Replaces a damaged record by its intact entries, and keeps the damaged file. Stop the attester first.',
  ).action(async () => {
    const { kept, damaged } = await recoverRecord(readConfiguration(process.env).dataDirectory, Date.now());
    printLine(
      damaged === null
        ? `The record is intact, with ${kept} entries: nothing was changed.`
        : `The record now has ${kept} intact entries. The damaged file is ${damaged}.`,
    );
  });
  return program;
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
