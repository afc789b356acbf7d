import { formatReport, makeReport } from '@causeway/service/doctor';
import { readDatabaseUse, readMigrationStatus } from '@causeway/store/schema';
import { InvalidArgumentError, type Command } from 'commander';
import { checkHealth } from '../upgrade/check-health.js';
import { judgeTables, judgeUpgrade, SUBJECTS } from '../upgrade/judge-upgrade.js';
import { readDatabaseUrl } from './migrate-command.js';

interface UpgradeOptions {
  readonly check: boolean;
  readonly api?: string;
  readonly json: boolean;
}

const HELP = `
Needs DATABASE_URL or DATABASE_URL_FILE, of causeway_owner or causeway_readonly. Writes
nothing. Run the command of the target release, forward or back.

Exit codes:
  0   continue; a warning says what to do first
  1   a line is an error, or the database did not answer
  78  the tables do not fit this release, or the configuration is wrong`;

/** Adds the command that checks an upgrade or a rollback. */
export function addUpgradeCommand(program: Command): void {
  program
    .command('upgrade')
    .description('shows what going forward or back to this release would change: docs/operate/upgrade.md')
    .requiredOption('--check', 'check only, change nothing')
    .option('--api <url>', "also ask this API for the bridge's health, such as https://bridge.example/api/v1", parseUrl)
    .option('--json', 'print the findings as JSON', false)
    .addHelpText('after', HELP)
    .action(check);
}

async function check({ api, json }: UpgradeOptions): Promise<void> {
  const databaseUrl = readDatabaseUrl();
  const [status, use] = [await readMigrationStatus(databaseUrl), await readDatabaseUse(databaseUrl)];
  const health = api === undefined ? [] : [await checkHealth(api)];
  const report = makeReport([...judgeUpgrade(status, use), ...health], SUBJECTS, Date.now());
  process.stdout.write(`${formatReport(report, json)}\n`);
  process.exitCode = judgeTables(status).length > 0 ? 78 : report.exitCode;
}

function parseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be an http(s) address.');
  return text;
}
