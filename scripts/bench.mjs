import { spawnSync } from 'node:child_process';
import { prepareBrowser } from './browser.mjs';
import { environment, program } from './turbo.mjs';

const HELP = `Usage: npx pnpm@12.21.0 bench [name] [options of that benchmark]

Builds, then prints ratios against a baseline that is measured in the same run. Without a name: all, one by one.
  api       the REST API beside a bare server on the same database
  gas       gas of the contracts, beside Across and CCIP
  gateway   the JSON-RPC gateway beside its node
  relayer   the relayer's parts, and the whole pipeline on two chains
  catch-up  the relayer's reader beside Ponder and Subsquid
  cli       the start of the command causeway beside a bare script
  verifier  the proof of a receipt beside its block's trie
  attesting a delivery beside one of a bridge without attesters
  sdk       the SDK's size beside LI.FI's and Relay's, its deposits beside scripts of viem
`;
/** The packages of each name. */
const PACKAGES = {
  api: ['api'],
  gas: ['contracts'],
  gateway: ['gateway'],
  relayer: ['chain', 'store', 'relayer', 'e2e'],
  'catch-up': ['relayer'],
  cli: ['cli'],
  verifier: ['verifier'],
  attesting: ['e2e'],
  sdk: ['sdk', 'e2e'],
};
/** The tasks of each name; usually one. */
const TASKS = { attesting: ['bench:attesting'], sdk: ['bench:sdk'] };
const ALL_TASKS = ['bench', 'bench:attesting', 'bench:sdk'];

const [name, ...options] = process.argv.slice(2);
if (name === '--help' || name === '-h') {
  process.stdout.write(HELP);
  process.exit(0);
}
if (name !== undefined && !Object.hasOwn(PACKAGES, name)) {
  process.stderr.write(`There is no benchmark "${name}".\n\n${HELP}`);
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
