import type { AddressBook } from '@causeway/protocol';
import { addressBookSchema } from '@causeway/protocol/rest';
import { z } from 'zod';
import { chainClients, type ChainClients, type EthereumClients } from '../bridge/clients.js';

const hex = z.templateLiteral(['0x', z.string()]);
const account = z.object({ address: hex, privateKey: hex });

/** The schema of `stack.json`, which has all that a program needs to use a running stack. */
export const stackFileSchema = z.object({
  /** Process id of the stack. A file with another process id is from an earlier run. */
  pid: z.int(),
  /** The page for people. Only when the API serves it. */
  webUrl: z.url().optional(),
  apiUrl: z.url(),
  healthUrl: z.url(),
  /** The operators' console. */
  consoleUrl: z.url(),
  /** Only with `--faucet`. */
  faucetUrl: z.url().optional(),
  /** URL of each relayer to which attesters connect. Only with `--attesters`. */
  exchangeUrls: z.array(z.url()).optional(),
  /** Only when a server controls the stack. */
  controlUrl: z.url().optional(),
  ethereum: z.object({ chainId: z.int(), rpcUrl: z.url() }),
  partner: z.object({ chainId: z.int(), rpcUrl: z.url(), wsUrl: z.url() }),
  /** One relayer is active, the others are passive. */
  relayers: z.array(z.object({ name: z.string(), pid: z.int() })),
  databaseUrl: z.string(),
  holdSeconds: z.number(),
  addressBook: addressBookSchema,
  addressBookFile: z.string(),
  accounts: z.object({
    deployer: account,
    relayer: account,
    guardian: account,
    recovery: account,
    pauser: account,
    treasury: account,
    policyManager: account,
    firstOperator: account,
    secondOperator: account,
    auditor: account,
    alice: account,
    bob: account,
  }),
  /** Alice's smart account on the partner chain: `execute` and ERC-1271. */
  smartAccount: hex,
  /** Folder with a log file for each part. */
  logs: z.string(),
});

/** The content of `stack.json`. Its keys are the public keys of development nodes. */
export type StackFile = z.output<typeof stackFileSchema>;

/** A running stack with clients for both its chains. */
interface ConnectedStack {
  readonly stack: StackFile;
  readonly book: AddressBook;
  readonly ethereum: EthereumClients;
  readonly partner: ChainClients;
}

/** Connects to a running stack, described by its `stack.json`. */
export function connect(stack: StackFile): ConnectedStack {
  const { ethereum, partner, addressBook } = stack;
  return {
    stack,
    book: addressBook,
    ethereum: chainClients('ethereum', ethereum.chainId, ethereum.rpcUrl),
    partner: chainClients('partner', partner.chainId, partner.rpcUrl),
  };
}
