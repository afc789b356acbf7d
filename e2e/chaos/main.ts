import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from './command.ts';
import { runChaos } from './run.ts';
import { Timeline } from './timeline.ts';

const flags = readFlags();
const print = (line: string) => void process.stdout.write(`${line}\n`);
const timeline = new Timeline(print);
const directory = mkdtempSync(join(tmpdir(), 'causeway-chaos-'));
// Node calls Prisma's WebAssembly import experimental.
process.removeAllListeners('warning');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

/** The bridge's processes end with this one. */
function interrupt(): never {
  print(`Interrupted. The logs are in ${join(directory, 'logs')}.`);
  process.exit(1);
}

print(`chaos --kills ${flags.kills} --seed ${flags.seed}`);
const problems: string[] = [];
try {
  const outcome = await runChaos(flags, directory, timeline);
  problems.push(...outcome.problems);
  if (problems.length === 0) outcome.summary.forEach(print);
} catch (error) {
  problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
if (problems.length === 0) {
  rmSync(directory, { recursive: true, force: true });
  timeline.announce('done: nothing lost, nothing doubled');
} else {
  print(`\nTimeline:\n${timeline.story()}\n`);
  print(`${problems.length} problems:\n- ${problems.join('\n- ')}\n`);
  print(`The logs are in ${join(directory, 'logs')}; PostgreSQL's log is ${join(directory, 'postgres.log')}.`);
  print(`Repeat: npx pnpm@12.21.0 chaos --kills ${flags.kills} --seed ${flags.seed}`);
}
process.exit(problems.length === 0 ? 0 : 1);
