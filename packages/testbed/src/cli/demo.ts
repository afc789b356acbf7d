import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import colors from 'picocolors';
import { Progress } from '../demo/progress.js';
import { runDemo } from '../demo/run-demo.js';
import { dustTable, solvencyTable, transfersTable } from '../demo/tables.js';
import { bootWorld } from '../world/boot-world.js';
import type { World } from '../world/world.js';
import { DEFAULT_WORLD_OPTIONS } from '../world/world-options.js';

new Command('demo')
  .description('Boots the whole bridge, moves ETH, USDC and XCN both ways, and checks every balance to the last unit.')
  .parse();

/** A terminal must be higher than the lines that are redrawn, or it would show nothing. */
const MOVING_LINES = 4;
const startedAtMs = Date.now();
const say = (line: string) => console.log(line);
const directory = mkdtempSync(join(tmpdir(), 'causeway-demo-'));
// Readable for the user that PostgreSQL runs as when this is root.
chmodSync(directory, 0o755);
let world: World | undefined;
let failure: string | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.error('\nInterrupted; stopping.');
    void (world?.stop() ?? Promise.resolve()).finally(() => process.exit(130));
  });
}

try {
  world = await bootWorld({ ...DEFAULT_WORLD_OPTIONS, directory, holdSeconds: 3 }, (step) => say(`- ${step}`));
  say(`- the bridge runs after ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  const progress = new Progress(process.stdout.isTTY && process.stdout.rows > MOVING_LINES, say);
  const broken = world.broken.then((how) => Promise.reject(new Error(how)));
  const result = await Promise.race([runDemo(world, progress, (line) => say(colors.bold(line))), broken]);
  say(
    `\n${transfersTable(result.transfers)}\n\n${dustTable(result.dustRefusals)}\n\n${solvencyTable(result.solvency)}\n`,
  );
  const unbacked = result.solvency.filter(({ locked, minted }) => locked !== minted);
  for (const { line, expected, actual } of result.differences)
    say(colors.red(`${line} is ${actual}, but should be ${expected}`));
  for (const { asset } of unbacked) say(colors.red(`${asset} on the partner chain is not backed exactly`));
  if (result.differences.length + unbacked.length > 0) failure = 'Something is off.';
  else say(colors.green(`All ${result.holdingsChecked} holdings are right to the last unit.`));
} catch (error) {
  failure = error instanceof Error ? error.message : String(error);
} finally {
  await world?.stop();
}
if (failure === null) {
  rmSync(directory, { recursive: true, force: true });
  say(`The demo took ${((Date.now() - startedAtMs) / 1000).toFixed(0)} s.`);
} else {
  console.error(colors.red(`${failure}\nThe logs are in ${join(directory, 'logs')}`));
}
process.exit(failure === null ? 0 : 1);
