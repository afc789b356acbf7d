import type { AddressBook } from '@causeway/protocol';
import type { ChainClients, EthereumClients } from './chain-clients.js';
import type { StackFile } from './stack-file.js';
import type { TestAccounts } from './test-accounts.js';

/** A running bridge with everything around it. */
export interface World {
  readonly stack: StackFile;
  readonly book: AddressBook;
  readonly accounts: TestAccounts;
  readonly ethereum: EthereumClients;
  readonly partner: ChainClients;
  /** Resolves with a sentence when any process ends that should not. */
  readonly broken: Promise<string>;
  /** Kills the relayer, as a power cut would, and starts it again. `ethereumRpcUrl` and `partnerRpcUrl` may differ from before. */
  readonly restartRelayer: (urls?: { ethereumRpcUrl?: string; partnerRpcUrl?: string }) => Promise<void>;
  readonly killRelayer: () => Promise<void>;
  /** Ends every process, services first. */
  readonly stop: () => Promise<void>;
}
