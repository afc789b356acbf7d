import { formatReport } from '@causeway/service/doctor';
import { InvalidArgumentError, type Command } from 'commander';
import { examineBridge } from '../doctor/doctor.js';
import type { DoctorOptions } from '../doctor/walk.js';
import { environmentArgument } from './deploy-command.js';

interface GivenOptions extends Omit<DoctorOptions, 'environment' | 'config' | 'book' | 'variables' | 'health'> {
  readonly config?: string;
  readonly book?: string;
  readonly health?: ReadonlyMap<string, string>;
  readonly json: boolean;
}

const HELP = `
Nothing has to exist: each missing part is a line that says how to create it.
DATABASE_URL or DATABASE_URL_FILE names the database.

Exit codes:
  0   everything exists and works
  1   a line is an error
  2   no error, but something is still missing`;

/** Adds the command that checks every step from the accounts to the first transfer. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'reports, step by step, what a bridge lacks and how to create it: docs/operate/setup.md; writes nothing',
    )
    .addArgument(environmentArgument())
    .option('--config <file>', 'configuration of the deployment, JSON (default: <environment>.json)')
    .option('--book <file>', 'address book of the deployment, JSON (default: deployments/<environment>.json)')
    .option('--keystores <folder>', 'folder of the keystores, as new-accounts writes them', 'keystores')
    .option('--passwords <folder>', 'folder of their passwords', 'passwords')
    .option('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .option('--partner-rpc <url>', 'JSON-RPC address of a gateway or node of the partner chain')
    .option('--relayer-report <file>', 'output of relayer doctor --json, whose lines are included')
    .option('--health <name=url>', 'METRICS_PORT address of relayer, api and others; can be repeated', parseHealth)
    .option('--json', 'print the findings as JSON', false)
    .addHelpText('after', HELP)
    .action(run);
}

async function run(environment: DoctorOptions['environment'], given: GivenOptions): Promise<void> {
  const { json, config = `${environment}.json`, book = `deployments/${environment}.json`, ...options } = given;
  const { health = new Map<string, string>() } = given;
  const variables = process.env;
  const report = await examineBridge({ ...options, environment, config, book, health, variables }, Date.now);
  process.stdout.write(`${formatReport(report, json)}\n`);
  process.exitCode = report.exitCode;
}

function parseHealth(text: string, earlier: ReadonlyMap<string, string> | undefined): ReadonlyMap<string, string> {
  const [, name = '', url = ''] = /^([a-z][a-z0-9-]*)=(https?:\/\/.+)$/.exec(text) ?? [];
  if (!URL.canParse(url)) throw new InvalidArgumentError('It must look like relayer=http://127.0.0.1:9101.');
  return new Map([...(earlier ?? []), [name, url]]);
}
