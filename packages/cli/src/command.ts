import type { TransferOptions } from '@causeway/sdk';
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

/** Options that all functions of the SDK have. */
export type ReadSettings = Required<Pick<TransferOptions, 'signal' | 'onRetry'>>;

/** What the program uses of its process. */
export interface Surroundings {
  readonly env: Context['env'];
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

/** What the program passes to a command. */
export interface Context {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly streams: Streams;
  readonly printer: Printer;
  /** Options of all functions of the SDK. The signal is aborted when the program is interrupted. */
  readonly reads: ReadSettings;
  /** Loads the arguments and options of all commands; otherwise only those of the command that runs are loaded. */
  readonly loadProgram: () => Promise<Command>;
}

/** A command: its arguments and options, and what it runs. */
export interface CommandModule<Options extends object, Words extends readonly (string | undefined)[]> {
  readonly define: (command: Command) => void;
  /** @returns the name of the exit code. */
  readonly run: (context: Context, options: Options, words: Words) => Promise<Exit>;
}

/** Defines a command with the types of its options and arguments. */
export function defineCommand<Options extends object, Words extends readonly (string | undefined)[]>(
  module: CommandModule<Options, Words>,
): CommandModule<Options, Words> {
  return module;
}
