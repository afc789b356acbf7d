import { addressBookSchema } from '@causeway/protocol';
import { z } from 'zod';

const account = z.object({ address: z.string(), privateKey: z.string() });

/** `stack.json`: all that a program needs to use a running stack. */
export const stackFileSchema = z.object({
  pid: z.int(),
  apiUrl: z.url(),
  healthUrl: z.url(),
  ethereum: z.object({ chainId: z.int(), rpcUrl: z.url() }),
  partner: z.object({ chainId: z.int(), rpcUrl: z.url(), wsUrl: z.url() }),
  databaseUrl: z.string(),
  holdSeconds: z.number(),
  addressBook: addressBookSchema,
  addressBookFile: z.string(),
  accounts: z.object({
    deployer: account,
    relayer: account,
    guardian: account,
    treasury: account,
    alice: account,
    bob: account,
  }),
  logs: z.string(),
});

/** What `stack.json` holds. The keys are those of development nodes, known to everybody. */
export type StackFile = z.output<typeof stackFileSchema>;
