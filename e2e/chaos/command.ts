import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';

// Imports packages only: `scripts/run.mjs` loads this file before anything is built.

/** The flags of `chaos`. */
export interface ChaosFlags {
  /** How often a process is killed, frozen or restarted, or the disk is filled. */
  readonly kills: number;
  readonly seed: number;
  /** Whether takeovers are only printed, whatever their time. */
  readonly anyPace: boolean;
}

const SEEDS = 2 ** 31;

/** The command line of `chaos`. */
export function chaosCommand(): Command {
  return new Command('chaos')
    .description(
      'Kills and freezes the processes of the bridge while operations of all kinds run: two relayers, API, gateway and ' +
        'PostgreSQL, behind proxies that cut, delay and lie. Then checks every delivery and every balance.',
    )
    .option('--kills <n>', 'kills, freezes and restarts', wholeNumber(1, 100_000), 20)
    .option('--any-pace', 'a takeover may take longer than 10 s, as on a busy machine', false)
    .option('--seed <s>', 'decides everything that is random (default: a new one)', wholeNumber(0, SEEDS - 1));
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
