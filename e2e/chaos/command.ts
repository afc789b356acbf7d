import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';

// Imports packages only: `scripts/run.mjs` loads this file before the build.

/** The flags of `chaos`. */
export interface ChaosFlags {
  /** Number of kills, freezes, restarts and disk fills. */
  readonly kills: number;
  readonly seed: number;
  /** Whether takeovers can take any time, and are only printed. */
  readonly anyPace: boolean;
}

const SEEDS = 2 ** 31;

/** The command line of `chaos`. */
export function chaosCommand(): Command {
  return new Command('chaos')
    .description(
      'Kills and freezes processes of the bridge while operations of all kinds run: two relayers, API, gateway and ' +
        'PostgreSQL, behind proxies that cut, delay and lie. Then it checks every delivery and balance.',
    )
    .option('--kills <n>', 'number of kills, freezes and restarts', wholeNumber(1, 100_000), 20)
    .option('--any-pace', 'allow takeovers of more than 10 s, as on a busy machine', false)
    .option('--seed <s>', 'seed of all random choices (default: a new one)', wholeNumber(0, SEEDS - 1));
}

/** Reads the flags of this process. */
export function readFlags(): ChaosFlags {
  const { kills, seed, anyPace } = chaosCommand().parse().opts<Omit<ChaosFlags, 'seed'> & { seed?: number }>();
  return { kills, seed: seed ?? randomInt(SEEDS), anyPace };
}

function wholeNumber(least: number, most: number) {
  return (text: string) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
    return value;
  };
}
