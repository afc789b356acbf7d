import type { Command } from 'commander';
import type { Exit } from './output/exit-codes.js';
import type { Printer, Streams } from './output/printer.js';

/** The options that all commands have. */
export interface GlobalFlags {
  readonly api?: string;
  readonly environment?: 'local' | 'testnet' | 'mainnet';
  readonly addressBook?: string;
  readonly ethereumRpc?: string;
  readonly partnerRpc?: string;
  readonly json?: boolean;
  readonly color: boolean;
}

/** Everything of the program that a command uses. */
export interface Context {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly streams: Streams;
  readonly printer: Printer;
  /** Aborted when the program is interrupted. */
  readonly signal: AbortSignal;
  /** The program with the arguments and options of every command, which are otherwise read one command at a time. */
  readonly loadProgram: () => Promise<Command>;
}

/** One command: its arguments and options, and its work. */
export interface CommandModule<Options extends object, Words extends readonly (string | undefined)[]> {
  readonly define: (command: Command) => void;
  /** @returns the name of its exit code. */
  readonly run: (context: Context, options: Options, words: Words) => Promise<Exit>;
}

/** Defines a command with the types of its options and arguments. */
export function defineCommand<Options extends object, Words extends readonly (string | undefined)[]>(
  module: CommandModule<Options, Words>,
): CommandModule<Options, Words> {
  return module;
}
