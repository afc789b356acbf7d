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
It needs DATABASE_URL, or DATABASE_URL_FILE: of causeway_owner or causeway_readonly. It
writes nothing. Run that of the release to which you go, forward or back.

Exit codes:
  0   go on; a warning says what to do first
  1   a line is an error, or the database did not answer
  78  the tables do not fit this release, or the configuration is wrong`;

/** Adds the command that looks before an upgrade or a rollback. */
export function addUpgradeCommand(program: Command): void {
  program
    .command('upgrade')
    .description('says what an upgrade to this release, or back to it, would change: docs/operate/upgrade.md')
    .requiredOption('--check', 'look, and change nothing')
    .option(
      '--api <url>',
      'also ask this API for the health of the bridge, such as https://bridge.example/api/v1',
      parseUrl,
    )
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
