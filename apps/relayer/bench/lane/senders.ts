import { connectChain, laneChain, localSigner, WalletLane } from '@causeway/chain';
import { migrate, openStore, type CallSubject } from '@causeway/store';
import { ETHEREUM, PARTNER, temporaryDatabase, testKey } from '@causeway/test-kit';
import { Pool } from 'pg';
import { createPublicClient, http, type Address, type Hex } from 'viem';
import { StoredJournal, type LaneCall } from '../../dist/wallet/lane-journal.js';
import { AMOUNT, encodeReleases, testAccounts, type BenchBridge } from './bench-bridge.ts';
import { allMined } from './receipts.ts';

/** Transactions of the bare sender in one HTTP request. It signs the next ones meanwhile, and keeps their order. */
const PIPELINED = 50;
const FEES = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
/** Groups of calls in flight. The lane journals one while the nodes take the one before. */
const GROUPS = 3;

/** Pays withdrawals until all receipts are there. */
export interface Sender {
  readonly name: string;
  /** Prepares payments, not measured. */
  readonly prepare: (nonces: readonly bigint[]) => Promise<void>;
  /** Pays them, `batch` in a transaction. False when the node stranded one, so that the time measures nothing. */
  readonly pay: (nonces: readonly bigint[], batch: number) => Promise<boolean>;
  /** Leaves nothing pending for the next round, not measured. */
  readonly finish: () => Promise<void>;
}

/** viem, its own signing, a local nonce, pipelined batches of requests, and no journal. */
export function bareSender({ anvil, bridgeLock }: BenchBridge): Sender {
  const account = testAccounts.relayer;
  const transport = http(anvil.url, { batch: { batchSize: PIPELINED }, retryCount: 0 });
  const client = createPublicClient({ transport, cacheTime: 0 });
  return {
    name: 'bare sender',
    prepare: async () => undefined,
    pay: async (nonces, batch) => {
      const calls = inChunks(nonces, batch).map(encodeReleases);
      const first = await client.getTransactionCount({ address: account.address });
      const raws = new Map<Hex, Hex>();
      let sending: Promise<unknown> = Promise.resolve();
      for (const [index, chunk] of inChunks(calls, PIPELINED).entries()) {
        const signed = await Promise.all(
          chunk.map((call, place) => {
            const terms = {
              to: bridgeLock,
              nonce: first + index * PIPELINED + place,
              chainId: anvil.chain.id,
            } as const;
            return account.signTransaction({ type: 'eip1559', ...terms, ...call, ...FEES });
          }),
        );
        await sending;
        sending = Promise.all(
          signed.map(async (raw) => raws.set(await client.sendRawTransaction({ serializedTransaction: raw }), raw)),
        );
      }
      await sending;
      const sent = { sender: 'bare sender', hashes: [...raws.keys()], raws: async () => raws };
      const { events, stranded } = await allMined(anvil, sent);
      expectPaid('bare sender', events, nonces.length);
      return !stranded;
    },
    finish: async () => undefined,
  };
}

/** The wallet lane over a new database, fed with groups of ready calls, as the deliver stage hands them in. */
export async function laneSender(bridge: BenchBridge, group: number): Promise<Sender & { stop: () => Promise<void> }> {
  const { anvil, bridgeLock } = bridge;
  const database = await temporaryDatabase();
  await migrate(database.url);
  const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  const sql = new Pool({ connectionString: database.url, max: 1 });
  const connection = connectChain({ name: 'bench', chainId: ETHEREUM, urls: [anvil.url], quorum: 1, confirmations: 1 });
  const fence = await store.lease.acquire('bench', 'bench', 3_600_000);
  if (fence === null) throw new Error('A new database has no lease to wait for');
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
  const signer = localSigner(testKey(1));
  const wallet = { chainId: ETHEREUM, address: signer.address.toLowerCase() as Address };
  const most = 10n ** 30n;
  const lane = new WalletLane<CallSubject, LaneCall>({
    chain: laneChain(connection, signer.address),
    signer,
    now: () => Date.now(),
    limits: { gasReserve: 0n, maxFeePerGas: most, maxFeePerDelivery: most, maxDailyFees: most },
    replaceAfterMs: 60_000,
    confirmations: 1,
    log: (message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  });
  const journal = new StoredJournal(store, fence, wallet, { side: 'ethereum', bridge: bridgeLock }, Date.now);
  return {
    name: 'wallet lane',
    prepare: async (nonces) => {
      await makeDue(sql, bridge, nonces);
      // The bare sender has used nonces of the same wallet.
      await lane.follow(journal, async () => 'send');
    },
    pay: async (nonces, batch) => {
      const groups = inChunks(inChunks(nonces, batch), group);
      const submitted = await inParallel(groups, GROUPS, (each) =>
        lane.submit(
          journal,
          each.map((numbers) => ({
            ...encodeReleases(numbers),
            to: bridgeLock,
            value: 0n,
            deliveries: numbers.length,
            subject: { purpose: 'DELIVERY', operationIds: numbers.map(bridge.withdrawalId) },
          })),
        ),
      );
      const hashes = submitted.flat().map((submission) => {
        if (submission.kind !== 'sent') throw new Error(`The lane did not send a call: ${JSON.stringify(submission)}`);
        return submission.hash;
      });
      const raws = async () => {
        const versions = (await journal.pending()).flatMap(({ transactions }) => transactions);
        return new Map(versions.map(({ hash, raw }) => [hash, raw]));
      };
      const { events, stranded } = await allMined(anvil, { sender: 'wallet lane', hashes, raws });
      expectPaid('wallet lane', events, nonces.length);
      return !stranded;
    },
    finish: async () => {
      while (await lane.follow(journal, async () => 'send')) {
        // Each turn ends a hundred calls.
      }
      const left = await journal.pending();
      if (left.length > 0) throw new Error(`The lane left ${left.length} calls pending`);
    },
    stop: async () => {
      connection.close();
      await sql.end();
      await store.close();
      await database.stop();
    },
  };
}

/** Stores withdrawals of ETH that are final and may be paid. */
async function makeDue(sql: Pool, { withdrawalId }: BenchBridge, nonces: readonly bigint[]): Promise<void> {
  const ids = nonces.map(withdrawalId);
  const party = testAccounts.recipient.address.toLowerCase();
  await sql.query(
    `INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
       origin_chain_id, destination_chain_id, origin_nonce, origin_tx_hash, origin_log_index, origin_block_number,
       origin_block_hash, origin_confirmations, required_confirmations, finalized_at, hold_until, hold_released_at)
     SELECT id, 'BURN', 'PARTNER_TO_ETHEREUM', 'ETH', 'AWAITING_RELAY', $3, 0, 0, $3, $4, $4,
       $5, $6, nonce, id, 0, 1, id, 6, 6, now(), now(), now()
     FROM unnest($1::text[], $2::numeric[]) AS due (id, nonce)`,
    [ids, nonces.map(String), String(AMOUNT), party, PARTNER, ETHEREUM],
  );
  // As a database of this size is after a while of running.
  await sql.query('ANALYZE');
}

/** Every release emits one event. */
function expectPaid(sender: string, events: number, count: number): void {
  if (events !== count) throw new Error(`${sender}: ${events} of ${count} withdrawals were paid`);
}

function inChunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Runs `work` for each item, at most `width` at a time. */
async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const run = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: width }, run));
  return results;
}
