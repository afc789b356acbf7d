import { randomInt } from 'node:crypto';
import { Argument, Command, InvalidArgumentError } from 'commander';

// Imports packages only: `scripts/run.mjs` loads this file before the build.

/** The drills by name, with what each one breaks. */
export const DRILL_NAMES = {
  'database-lost': 'the database is lost, and rebuilt from the chains',
  'older-backup': 'the database is lost, and an older backup restored',
  'promoted-replica': 'the primary is lost, and an asynchronous replica promoted',
  'former-primary': 'a former primary returns under the address of the database',
  'relayer-host-lost': 'the machine of each relayer is lost',
  'attester-record-lost': 'the record of one attester is lost, that of another one damaged',
  'bad-release': 'a new release fails, and the programs go back',
  'full-disk': 'the disk of the database is full',
} as const;

export type DrillName = keyof typeof DRILL_NAMES;

/** The arguments of `drill`. */
export interface DrillFlags {
  readonly names: readonly DrillName[];
  readonly json: boolean;
  readonly seed: number;
}

const SEEDS = 2 ** 31;
const NAMES = Object.keys(DRILL_NAMES) as DrillName[];

/** The command line of `drill`. */
export function drillCommand(): Command {
  const list = Object.entries(DRILL_NAMES).map(([name, what]) => `  ${name.padEnd(22)}${what}`);
  return new Command('drill')
    .description(
      'Destroys a part of a bridge under traffic, brings it back by the commands of its page, and checks every ' +
        `operation and balance. Without a name it lists the drills:\n${list.join('\n')}`,
    )
    .addArgument(new Argument('[name]', 'a drill, or all').choices([...NAMES, 'all']))
    .option('--json', 'print the table as JSON', false)
    .option('--seed <s>', 'seed of the traffic (default: a new one)', seed);
}

/** Reads the arguments of this process. Without a name there are no names. */
export function readFlags(): DrillFlags {
  const command = drillCommand().parse();
  const [name] = command.args as (DrillName | 'all')[];
  const { json, seed: given } = command.opts<{ json: boolean; seed?: number }>();
  const names = name === undefined ? [] : name === 'all' ? NAMES : [name];
  return { names, json, seed: given ?? randomInt(SEEDS) };
}

function seed(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value >= SEEDS)
    throw new InvalidArgumentError(`Expected a whole number from 0 to ${SEEDS - 1}.`);
  return value;
}
