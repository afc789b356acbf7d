import { describeRelease, getExitCode, variablesHelp } from '@causeway/service/configuration';
import { formatReport } from '@causeway/service/doctor';
import { Command, CommanderError } from 'commander';
import { readConfiguration } from '../configuration/configuration.js';
import { watchtowerVariables } from '../configuration/variables.js';

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
  const program = new Command('watchtower')
    .description('The watchtower of the bridge: checks every payment on both chains, and pauses the bridge at a theft.')
    .usage('<command>')
    .version(describeRelease('watchtower'))
    .helpCommand(false)
    .showHelpAfterError('Run it with --help for its usage.')
    .exitOverride()
    .addHelpText('after', () => `\n${variablesHelp(watchtowerVariables)}`);
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .addHelpText('after', '\nIt reads the environment variables that `watchtower --help` lists.');
  command('start', 'Starts the service. This is the default command.').action(async () => {
    const { startService } = await import('../service.js');
    await startService(readConfiguration(process.env));
  });
  command('doctor', 'Checks everything that the watchtower depends on, and says what to do. Read-only.')
    .option('--json', 'print the findings as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { examineWatchtower } = await import('./doctor.js');
      const report = await examineWatchtower(process.env, Date.now);
      process.stdout.write(`${formatReport(report, json === true)}\n`);
      process.exitCode = report.exitCode;
    });
  return program;
}
