import {
  aBlock,
  aDeposit,
  anAddress,
  aSignature,
  ETHEREUM,
  opening,
  PARTNER,
  temporaryDatabase,
} from '@causeway/test-kit';
import { Pool } from 'pg';
import {
  migrate,
  openStore,
  type Fence,
  type JournalEntry,
  type Operation,
  type OperationTerms,
  type ScannedBlock,
  type SignedTransaction,
  type Store,
} from '../src/index.js';

/** The relayer wallet on the partner chain. */
export const wallet = { chainId: PARTNER, address: anAddress('relayer') };

/** A store on a new database, with the steps that several tests need before their own. */
export interface TemporaryStore {
  readonly store: Store;
  readonly fence: Fence;
  /** Direct access, to test the invariants of the database. */
  readonly sql: Pool;
  readonly url: string;
  /** Stores the next block of a chain. */
  readonly mine: (chainId: number, over?: Partial<ScannedBlock>) => Promise<ScannedBlock>;
  /** Makes the origin of an operation final, without a hold. `final`: the block that made it so. */
  readonly finalize: (terms: OperationTerms, origin: ScannedBlock, final?: ScannedBlock) => Promise<boolean>;
  /** Begins an operation that is final and may be paid. A deposit unless given. */
  readonly due: (terms?: OperationTerms) => Promise<OperationTerms>;
  /** Records a signed delivery of an operation to the partner chain. */
  readonly record: (terms: OperationTerms, chainNonce?: bigint) => Promise<SignedTransaction | null>;
  /** Reads an operation that exists. */
  readonly operation: (terms: OperationTerms) => Promise<Operation>;
  /** Reads the pending delivery of an operation that has one. */
  readonly entryOf: (terms: OperationTerms) => Promise<JournalEntry>;
  readonly close: () => Promise<void>;
}

/** Creates the database, applies the migrations, takes the lease and begins the scan of both chains at block 1. */
export async function temporaryStore(): Promise<TemporaryStore> {
  const database = await temporaryDatabase();
  await migrate(database.url);
  const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  const sql = new Pool({ connectionString: database.url, max: 4 });
  sql.on('error', () => undefined);
  const fence = await store.lease.acquire('relayer', 'test', 600_000);
  if (fence === null) throw new Error('A new database has no lease to wait for');
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);

  const mine: TemporaryStore['mine'] = async (chainId, over = {}) => {
    const block = aBlock((await store.scan.cursor(chainId))?.nextBlock ?? 0n, over);
    await store.scan.extend(fence, chainId, [block], block.number);
    return block;
  };
  const finalize: TemporaryStore['finalize'] = async (terms, origin, finalBlock = origin) => {
    const { id, originChainId, requiredConfirmations: confirmations } = terms;
    const finality = { blockHash: origin.hash, confirmations, finalBlock, holdUntil: null };
    return store.operations.finalize(fence, originChainId, id, finality);
  };
  return {
    store,
    fence,
    sql,
    url: database.url,
    mine,
    finalize,
    due: async (terms = aDeposit()) => {
      const block = await mine(terms.originChainId, { events: [opening(terms)] });
      await finalize(terms, block);
      await store.operations.releaseHold(fence, terms.id, block.timestamp);
      return terms;
    },
    record: async ({ id }, chainNonce = 0n) =>
      store.journal.record(fence, id, wallet, chainNonce, async (nonce) => aSignature(nonce)),
    operation: async ({ id }) => existing(await store.operations.findById(id)),
    entryOf: async ({ id }) =>
      existing((await store.journal.pending(PARTNER)).find(({ operationId }) => operationId === id)),
    close: async () => {
      await store.close();
      await sql.end();
      await database.stop();
    },
  };
}

function existing<T>(found: T | null | undefined): T {
  if (found === null || found === undefined) throw new Error('The test expects a row that does not exist');
  return found;
}
