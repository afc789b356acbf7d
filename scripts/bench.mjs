import { spawnSync } from 'node:child_process';

// `npx pnpm@12.21.0 bench [package] [options]`: builds, then runs the benchmarks of one package or of all, one by one.
// `bench gas` measures the contracts' gas.
const [given, ...options] = process.argv.slice(2);
const name = given === 'gas' ? 'contracts' : given;
const filter = name === undefined ? [] : [`--filter=@causeway/${name}`];
const forwarded = options.length > 0 ? ['--', ...options] : [];
const { status } = spawnSync(
  'turbo',
  ['run', 'bench', ...filter, '--concurrency=1', '--output-logs=new-only', '--log-prefix=none', ...forwarded],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
