import { spawnSync } from 'node:child_process';
import { prepareBrowser } from './browser.mjs';
import { environment, program } from './turbo.mjs';

const HELP = `Usage: npx pnpm@12.21.0 bench [name] [options of that benchmark]

Builds, then prints ratios against a baseline that is measured in the same run. Without a name it runs all, one after another.
  api       the REST API against a bare server on the same database
  gas       gas of the contracts against Across and CCIP
  gateway   the JSON-RPC gateway against its node
  grown     the database's reads and sizes at a million operations beside 10,000
  pipeline  the whole pipeline on two chains against a bare sender
  rebuild   the minutes and the memory of a rebuild, and of a relayer's start on it (--operations, by default 20000)
  sdk       the SDK's size against LI.FI's and Relay's, its deposits against viem scripts
  verify    the books of the verifier beside the download of the same logs, and their memory (--operations)
  web       how soon the page for people can be used, and shows a change
`;
/** The packages of each name. */
const PACKAGES = {
  api: ['api'],
  gas: ['contracts'],
  gateway: ['gateway'],
  grown: ['store'],
  pipeline: ['e2e'],
  rebuild: ['e2e'],
  sdk: ['sdk', 'e2e'],
  verify: ['verifier'],
  web: ['e2e'],
};
/** The tasks of each name; usually one. */
const TASKS = { rebuild: ['bench:rebuild'], sdk: ['bench:sdk'], web: ['bench:web'] };
const ALL_TASKS = ['bench', 'bench:rebuild', 'bench:sdk', 'bench:web'];

const [name, ...options] = process.argv.slice(2);
if (name === '--help' || name === '-h') {
  process.stdout.write(HELP);
  process.exit(0);
}
if (name !== undefined && !Object.hasOwn(PACKAGES, name)) {
  process.stderr.write(`Unknown benchmark "${name}".\n\n${HELP}`);
  process.exit(1);
}
const filter = name === undefined ? [] : PACKAGES[name].map((each) => `--filter=@causeway/${each}`);
const tasks = name === undefined ? ALL_TASKS : (TASKS[name] ?? ['bench']);
const forwarded = options.length > 0 ? ['--', ...options] : [];
const { status } = spawnSync(
  process.execPath,
  [program, 'run', ...tasks, ...filter, '--concurrency=1', '--output-logs=new-only', '--log-prefix=none', ...forwarded],
  { stdio: 'inherit', env: { ...environment, ...prepareBrowser() } },
);
process.exitCode = status ?? 1;
