import { afterAll, beforeAll } from '@jest/globals';
import { anAddress, ETHEREUM, PARTNER, loginUrl, temporaryDatabase } from '@causeway/test-kit';
import { Pool } from 'pg';
import type { Hex } from 'viem';
import { createRoles, ROLES } from '../src/schema.js';
import {
  migrate,
  openStore,
  type BlockRecord,
  type CallOutcome,
  type CallSubject,
  type Fence,
  type NewCall,
  type Operation,
  type OperationDelay,
  type OperationTerms,
  type ScannedBlock,
  type Store,
  type WalletCall,
} from '../src/index.js';
import { aBlock, aDeposit, aSignature, opening } from '../src/test/rows.js';

/** The relayer wallet on the partner chain. */
export const wallet = { chainId: PARTNER, address: anAddress('relayer') };

/** The relayer's store on a new database, with helper steps for tests. */
export interface TemporaryStore {
  readonly store: Store;
  readonly fence: Fence;
  /** Direct access of a superuser, to test the invariants of the database. */
  readonly sql: Pool;
  readonly url: string;
  /** Stores the next block of a chain. */
  readonly mine: (chainId: number, over?: Partial<ScannedBlock>) => Promise<ScannedBlock>;
  /** Makes the origin of an operation final, without a hold. `final`: the block that makes it final. */
  readonly finalize: (terms: OperationTerms, origin: ScannedBlock, final?: ScannedBlock) => Promise<boolean>;
  /** Begins a final operation that is due. Default: a deposit. */
  readonly due: (terms?: OperationTerms) => Promise<OperationTerms>;
  /** Journals a wallet call on the partner chain with the next nonce. Null when it was refused. */
  readonly send: (subject: CallSubject) => Promise<WalletCall | null>;
  /** Journals a delivery of operations to the partner chain. */
  readonly record: (...operations: OperationTerms[]) => Promise<WalletCall | null>;
  /** Ends a call, with a receipt in the next block of the partner chain. */
  readonly conclude: (
    call: WalletCall,
    state: CallOutcome['state'],
    unpaid?: readonly OperationDelay[],
  ) => Promise<boolean>;
  /** Expires the intents whose window had closed at the time of a block of the partner chain. Returns their ids. */
  readonly expire: (newest: BlockRecord) => Promise<Hex[]>;
  /** Reads an existing operation. */
  readonly operation: (terms: OperationTerms) => Promise<Operation>;
  /** Reads the pending call of an operation that has one. */
  readonly readCall: (terms: OperationTerms) => Promise<WalletCall>;
  readonly close: () => Promise<void>;
}

/**
 * Creates the database, applies the migrations, takes the lease and begins the scan of both chains at block 1.
 *
 * @param settings of the database, such as its time zone.
 */
export async function temporaryStore(settings: Readonly<Record<string, string>> = {}): Promise<TemporaryStore> {
  const database = await temporaryDatabase(makeTables, settings);
  const store = openStore({ databaseUrl: loginUrl(database.url, 'causeway_relayer'), onIdleError: () => undefined });
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
    const { id: operationId, requiredConfirmations: confirmations } = terms;
    const finality = { blockHash: origin.hash, confirmations, finalizedAt: finalBlock.timestamp, holdUntil: null };
    return (await store.operations.finalizeAll(fence, [{ operationId, ...finality }])).size === 1;
  };
  const send: TemporaryStore['send'] = async (subject) => {
    const call = aCall(await store.journal.nextNonce(wallet), subject);
    const { kind } = await store.journal.record(fence, wallet, [call]);
    return kind === 'recorded' ? store.journal.withNonce(wallet, call.nonce) : null;
  };
  return {
    store,
    fence,
    sql,
    url: database.url,
    mine,
    finalize,
    due: async (terms = aDeposit()) => {
      await finalize(terms, await mine(terms.originChainId, { events: [opening(terms)] }));
      return terms;
    },
    send,
    record: async (...operations) => send(delivering(...operations)),
    conclude: async (call, state, unpaid = []) => {
      const { number, hash } = await mine(PARTNER);
      const txHash = call.transactions.at(-1)?.hash ?? '0x';
      const outcome: CallOutcome =
        state === 'TAKEN' ? { state } : { state, txHash, block: { number, hash }, feePaid: 21_000n };
      return store.journal.conclude(fence, call, outcome, unpaid);
    },
    expire: async (newest) => {
      const expired: Hex[] = [];
      for (const id of await store.intents.findClosedWindows(PARTNER, newest.timestamp))
        if (await store.intents.expire(fence, id, newest)) expired.push(id);
      return expired;
    },
    operation: async ({ id }) => existing(await store.operations.findById(id)),
    readCall: async ({ id }) => existing(await store.journal.findPending(id)),
    close: async () => {
      await store.close();
      await sql.end();
      await database.stop();
    },
  };
}

/** The store of a test file: created before the first test, closed after the last. */
export function useStore(): TemporaryStore {
  const made = {} as TemporaryStore;
  beforeAll(async () => {
    Object.assign(made, await temporaryStore());
  });
  afterAll(async () => made.close?.());
  return made;
}

/** Creates the roles and the tables. The password of a role is its name. */
async function makeTables(url: string) {
  await createRoles(url, Object.fromEntries(ROLES.map((role) => [role, role])));
  await migrate(url);
}

/** A signed call that was not broadcast. */
export function aCall(nonce: bigint, subject: CallSubject): NewCall {
  return { nonce, to: anAddress('mint'), data: '0x01', value: 0n, subject, transaction: aSignature(nonce) };
}

/** The subject of a call that pays these operations. */
export function delivering(...operations: readonly OperationTerms[]): CallSubject {
  return { purpose: 'DELIVERY', operationIds: operations.map(({ id }) => id) };
}

function existing<T>(found: T | null | undefined): T {
  if (found === null || found === undefined) throw new Error('The test expects a row that does not exist');
  return found;
}
