import type { AddressBook } from '@causeway/protocol';
import type { ChainClients, EthereumClients } from './chain-clients.js';
import type { CommandResult } from '../processes/run-to-end.js';
import type { StackFile } from './stack-file.js';
import type { TestAccounts } from './test-accounts.js';

/** What may differ from the world's own relayer when it is started again. */
export interface RelayerChanges {
  readonly ethereumRpcUrl?: string;
  readonly partnerRpcUrl?: string;
  readonly retireAfterSeconds?: number;
  /** How long a transaction waits for a block before it is replaced with higher fees. */
  readonly replaceAfterSeconds?: number;
}

/** A running bridge with everything around it. */
export interface World {
  readonly stack: StackFile;
  readonly book: AddressBook;
  readonly accounts: TestAccounts;
  readonly ethereum: EthereumClients;
  readonly partner: ChainClients;
  /** Resolves with a sentence when any process ends that should not. */
  readonly broken: Promise<string>;
  /** Kills the relayer, as a power cut would, and starts it again: as it was at first, but for the changes. */
  readonly restartRelayer: (changes?: RelayerChanges) => Promise<void>;
  /** Runs a command of an operator beside the relayer, in a process of its own. */
  readonly operate: (...words: readonly string[]) => Promise<CommandResult>;
  readonly killRelayer: () => Promise<void>;
  /** Ends every process, services first. */
  readonly stop: () => Promise<void>;
}
