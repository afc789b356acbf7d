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
It needs nothing: each missing thing is a line that says how to make it. DATABASE_URL,
or DATABASE_URL_FILE, names the database.

Exit codes:
  0   everything is there and works
  1   a line is an error
  2   no error, and something is still to be made`;

/** Adds the command that walks from the accounts to the first transfer. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('says, step by step, what a bridge lacks and how to make it: docs/operate/setup.md; writes nothing')
    .addArgument(environmentArgument())
    .option('--config <file>', 'configuration of the deployment, JSON (default: <environment>.json)')
    .option('--book <file>', 'address book of the deployment, JSON (default: deployments/<environment>.json)')
    .option('--keystores <folder>', 'keystores, as new-accounts writes them', 'keystores')
    .option('--passwords <folder>', 'their passwords', 'passwords')
    .option('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .option('--partner-rpc <url>', 'JSON-RPC address of a gateway or node of the partner chain')
    .option('--relayer-report <file>', 'output of relayer doctor --json, whose lines are taken over')
    .option('--health <name=url>', 'address of METRICS_PORT of relayer, api and others; may be repeated', parseHealth)
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
  if (!URL.canParse(url)) throw new InvalidArgumentError('It must be such as relayer=http://127.0.0.1:9101.');
  return new Map([...(earlier ?? []), [name, url]]);
}
