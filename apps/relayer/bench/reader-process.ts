import { connectChain } from '@causeway/chain';
import { migrate, openStore } from '@causeway/store';
import { anAddressBook } from '@causeway/test-kit';
import { pino } from 'pino';
import type { Address } from 'viem';
import { FinalBlocks } from '../dist/pipeline/final-blocks.js';
import { createReader } from '../dist/pipeline/chain-reading.js';
import { decodeBlocks } from '../dist/stages/decode-block.js';
import { ObserveStage } from '../dist/stages/observe.js';

// The relayer's first stage alone, in a process of its own: it reads Ethereum with all nodes compared, and stores what
// it finds, until the last block. The nodes, the range and the database come from the benchmark.
const { RPC_URLS = '', LAST_BLOCK = '', CONTRACT = '', CHAIN_ID = '', DATABASE_URL = '' } = process.env;
const CONFIRMATIONS = 12;
const LEASE_MS = 3_600_000;

await migrate(DATABASE_URL);
const store = openStore({ databaseUrl: DATABASE_URL, onIdleError: () => undefined });
const fence = await store.lease.acquire('relayer', 'benchmark', LEASE_MS);
if (fence === null) throw new Error('The database is in use');

const urls = RPC_URLS.split(',');
const chainId = Number(CHAIN_ID);
const connection = connectChain({
  name: 'ethereum',
  chainId,
  urls,
  quorum: urls.length,
  confirmations: CONFIRMATIONS,
  report: ({ message, node }) => process.stderr.write(`${node}: ${message}\n`),
});
const template = anAddressBook();
const bridgeLock = CONTRACT as Address;
const book = { ...template, ethereum: { ...template.ethereum, chainId, bridgeLock } };
const chain = {
  side: 'ethereum',
  chainId,
  connection,
  bridge: bridgeLock,
  deployedAtBlock: 1n,
  confirmations: CONFIRMATIONS,
  finality: new FinalBlocks(connection, () => performance.now()),
} as const;
const stage = new ObserveStage('ethereum', () => ({
  chain,
  store,
  logger: pino({ level: 'warn' }),
  now: Date.now,
  createReader: (report) => createReader(store, chain, { wallets: [book.relayer], book }, report),
  decode: async ({ blocks }) =>
    decodeBlocks(blocks, {
      book,
      side: 'ethereum',
      timing: {
        ethereumConfirmations: CONFIRMATIONS,
        partnerConfirmations: CONFIRMATIONS,
        holdSeconds: 0,
        blockSeconds: { ethereum: 12, partner: 2 },
      },
      policies: null,
    }),
}));

await connection.ready();
for (;;) {
  await stage.run(fence);
  const cursor = await store.scan.cursor(chainId);
  if (cursor !== null && cursor.nextBlock > BigInt(LAST_BLOCK)) break;
}
connection.close();
await store.close();
// Idle connections to the nodes would keep the process alive.
process.exit();
