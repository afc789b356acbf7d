import { drillCommand, readFlags } from './command.ts';
import type { Row } from './drill.ts';
import { runDrill } from './run.ts';

const flags = readFlags();
const print = (line: string) => void process.stderr.write(`${line}\n`);
// Node calls Prisma's WebAssembly import experimental.
process.removeAllListeners('warning');
// The bridge's processes end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (flags.names.length === 0) {
  drillCommand().outputHelp();
  process.exit(0);
}
const rows: Row[] = [];
for (const name of flags.names) rows.push(await runDrill(name, flags.seed, print));
if (flags.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else process.stdout.write(describeRows(rows));
for (const { drill, problems } of rows) for (const problem of problems) print(`${drill}: ${problem}`);
process.exit(rows.every(({ problems }) => problems.length === 0) ? 0 : 1);

function describeRows(all: readonly Row[]): string {
  const head = ['drill', 'result', 'data lost', 'at most', 'minutes', 'at most'];
  const cells = all.map((row) => [row.drill, row.result, row.dataLost, row.goal, row.minutes, `${row.goalMinutes}`]);
  return [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |\n`).join('');
}
