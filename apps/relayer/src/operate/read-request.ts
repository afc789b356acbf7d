import { parseArgs } from 'node:util';
import { cancelDelivery } from './cancel-delivery.js';
import type { Command } from './command.js';
import { CommandRefusedError, type Desk } from './desk.js';
import { haltChain } from './halt-chain.js';
import { listHalts } from './list-halts.js';
import { listUnmatched } from './list-unmatched.js';
import { resumeChain } from './resume-chain.js';
import { retryDelivery } from './retry-delivery.js';

const COMMANDS: readonly Command[] = [listHalts, haltChain, resumeChain, cancelDelivery, retryDelivery, listUnmatched];

/** What to run, and how it was asked for; or what to print instead. */
export type Request =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'run'; readonly run: (desk: Desk) => Promise<void> };

/**
 * Reads the words of a command line, without the program's name.
 *
 * @throws CommandRefusedError when they are no command.
 */
export function readRequest(words: readonly string[]): Request {
  const [name, ...rest] = words;
  if (name === undefined || name === '--help' || name === 'help') return { kind: 'help', text: overview() };
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) throw new CommandRefusedError(`There is no command ${name}\n\n${overview()}`);
  const { values, positionals } = parse(command, rest);
  if (values['help'] === true) return { kind: 'help', text: explain(command) };
  if (positionals.length !== command.takes.length) throw new CommandRefusedError(explain(command));
  const switches = new Set(Object.keys(values).filter((key) => values[key] === true));
  return { kind: 'run', run: (desk) => command.run(desk, positionals, switches) };
}

function parse(command: Command, args: string[]): ReturnType<typeof parseArgs> {
  const names = [...Object.keys(command.switches), 'help'];
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' as const }]));
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new CommandRefusedError(`${error instanceof Error ? error.message : String(error)}\n\n${explain(command)}`);
  }
}

function overview(): string {
  const lines = COMMANDS.map((command) => `  ${synopsis(command)}\n      ${command.summary}`);
  return ['Commands for operators. They read the environment variables of the relayer.', '', ...lines].join('\n');
}

function explain(command: Command): string {
  const switches = Object.entries(command.switches).map(([name, effect]) => `  --${name}  ${effect}`);
  return [synopsis(command), command.summary, ...switches].join('\n');
}

function synopsis({ name, takes, switches }: Command): string {
  const options = Object.keys(switches).map((option) => `[--${option}]`);
  return [name, ...takes.map((each) => `<${each}>`), ...options].join(' ');
}
