import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getContractAddress, type Hex } from 'viem';
import { pino } from 'pino';
import { createEmbeddedBackend, type EmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import { readSyncState } from '../../src/backends/upstream/read-answers.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { Gateway } from '../../src/gateway.js';
import { createMethods, type MethodRegistry } from '../../src/methods/registry.js';
import { Caller, FakeConnection } from '../setup/caller.js';
import { CHAIN_ID } from '../setup/chains.js';
import { draftTransactions, Sender } from '../setup/populated-chain.js';
import { findMissing, type State } from '../setup/required-fields.js';
import { runCast } from './cast.js';

interface Transaction {
  readonly hash: Hex;
  readonly type: '0x0' | '0x1' | '0x2' | '0x4';
  readonly to: Hex | null;
  readonly authorizationList?: readonly object[];
}
interface Block {
  readonly hash: Hex | null;
  readonly transactionsRoot: Hex;
  readonly transactions: readonly (Hex | Transaction)[];
}
interface Receipt {
  readonly status: Hex;
  readonly logs: readonly object[];
}

/** Creation code that reverts, and one of a contract that reverts. */
const REVERTING: Hex = '0x5f5ffd';
const CREATE_REVERTING: Hex = '0x625f5ffd5f526003601df3';
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const GAS = { type: 'legacy', gasPrice: 10n ** 9n, gas: 200_000n } as const;
const TIMEOUT_MS = 60_000;

describe('typed clients', () => {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-typed-'));
  const connection = new FakeConnection();
  let backend: EmbeddedBackend;
  let gateway: Gateway;
  let created: MethodRegistry;
  let caller: Caller;
  let url: string;
  /** By name: transactions of each type, creations, and failures. */
  let hashes: Readonly<Record<string, Hex>>;

  beforeAll(async () => {
    // Blocks come only from `mine`, so that transactions can be inspected while pending.
    const chain = { chainId: CHAIN_ID, dataDirectory: directory, genesisFile: null, blockIntervalMs: 3_600_000 };
    backend = await createEmbeddedBackend({ ...chain, clientVersion: 'Causeway/test' });
    const configuration = readConfiguration({ PORT: '0', RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_PER_MINUTE: '0' });
    gateway = new Gateway({ configuration, backend, logger: pino({ level: 'silent' }) });
    url = await gateway.listen();
    created = createMethods(backend, { title: 'Test', version: '1.0.0' }, { warn: () => undefined });
    caller = new Caller(created.methods, connection);
    const sender = new Sender(caller);
    const emitter = getContractAddress({ from: sender.address, nonce: 0n });
    const reverting = getContractAddress({ from: sender.address, nonce: 6n });
    const drafts = {
      ...(await draftTransactions(emitter)),
      revertingDeployed: { ...GAS, data: CREATE_REVERTING },
      failed: { ...GAS, to: reverting },
      failedCreation: { ...GAS, data: REVERTING },
    };
    const sent: Record<string, Hex> = {};
    for (const [name, draft] of Object.entries(drafts)) sent[name] = await sender.send(draft);
    hashes = sent;
  });
  afterAll(async () => {
    connection.close();
    created?.filters.close();
    await gateway?.close();
    rmSync(directory, { recursive: true });
  });

  const cast = async <T>(...args: string[]) => JSON.parse(await runCast(...args, '--json', '--rpc-url', url)) as T;

  /** Finds the problems of a transaction as shown in a block, alone, or in the pool. */
  function checkTransaction(transaction: Transaction, ...states: State[]): string[] {
    const all: State[] = [...states, ...(transaction.to === null ? (['creation'] as const) : [])];
    const authorizations = (transaction.authorizationList ?? []).flatMap((each) => findMissing('authorization', each));
    return [...findMissing(`transaction ${transaction.type}`, transaction, all), ...authorizations];
  }

  /** Finds the problems of a block. Like go-ethereum's `getBlock`, it also compares the root with the transactions. */
  function checkBlock(block: Block, ...states: State[]): string[] {
    const isEmpty = block.transactionsRoot === EMPTY_ROOT;
    const agrees = isEmpty === (block.transactions.length === 0);
    return [...findMissing('block', block, states), ...(agrees ? [] : ['transactionsRoot disagrees with the list'])];
  }

  /** Finds the problems of a block and all its transactions, for each way to request them. */
  async function checkTransactions(tag: string, ...states: State[]): Promise<string[]> {
    const full = await caller.call<Block>('eth_getBlockByNumber', tag, true);
    const short = await caller.call<Block>('eth_getBlockByNumber', tag, false);
    const transactions = full.transactions as readonly Transaction[];
    expect(short.transactions).toEqual(transactions.map(({ hash }) => hash));
    expect(transactions.map(({ hash }) => hash).toSorted()).toEqual(Object.values(hashes).toSorted());
    expect(new Set(transactions.map(({ type }) => type))).toEqual(new Set(['0x0', '0x1', '0x2', '0x4']));
    for (const transaction of transactions) {
      expect(await caller.call('eth_getTransactionByHash', transaction.hash)).toEqual(transaction);
    }
    return [
      ...checkBlock(full, ...states),
      ...checkBlock(short, ...states),
      ...transactions.flatMap((each) => checkTransaction(each, ...states)),
    ];
  }

  describe('while transactions are pending', () => {
    it('miss no field', async () => {
      expect(await checkTransactions('pending', 'pending')).toEqual([]);
      const content = await caller.call<{ pending: Record<string, Record<string, Transaction>> }>('txpool_content');
      const waiting = Object.values(content.pending).flatMap((each) => Object.values(each));
      expect(waiting).toHaveLength(Object.keys(hashes).length);
      expect(waiting.flatMap((each) => checkTransaction(each, 'pending'))).toEqual([]);
    });

    it(
      'can be read by cast, which decodes them with alloy',
      async () => {
        const short = await cast<Block>('block', 'pending');
        expect(short.transactions).toHaveLength(Object.keys(hashes).length);
        expect((await cast<Block>('block', 'pending', '--full')).transactions).toHaveLength(short.transactions.length);
        for (const hash of Object.values(hashes)) expect((await cast<Transaction>('tx', hash)).hash).toBe(hash);
        expect(Object.keys(await cast('tx-pool', 'content'))).toEqual(['pending', 'queued']);
        expect(Object.keys(await cast('tx-pool', 'inspect'))).toEqual(['pending', 'queued']);
        const from = new Sender(caller).address;
        expect(Object.keys(await cast('tx-pool', 'content-from', '--from', from))).toEqual(['pending', 'queued']);
        expect(await cast('tx-pool', 'status')).toEqual({ pending: '0x9', queued: '0x0' });
      },
      TIMEOUT_MS,
    );
  });

  describe('after a block', () => {
    let heads: Hex;

    beforeAll(async () => {
      heads = await caller.call('eth_subscribe', 'newHeads');
      await backend.chain.mine();
      await new Promise((resolve) => setTimeout(resolve, 50));
    });

    it('miss no field of blocks, transactions and headers', async () => {
      expect(await checkTransactions('latest')).toEqual([]);
      for (const tag of ['earliest', 'pending', 'safe', 'finalized']) {
        const block = await caller.call<Block>('eth_getBlockByNumber', tag, true);
        expect(checkBlock(block, ...(tag === 'pending' ? (['pending'] as const) : []))).toEqual([]);
      }
      const [head] = connection.results(heads);
      expect(findMissing('header', head)).toEqual([]);
    });

    it('miss no field of receipts and logs', async () => {
      const missing: string[] = [];
      const logs: object[] = [];
      for (const [name, hash] of Object.entries(hashes)) {
        const receipt = await caller.call<Receipt>('eth_getTransactionReceipt', hash);
        const failed: State[] = name.startsWith('failed') ? ['failed'] : [];
        expect([name, receipt.status]).toEqual([name, failed.length > 0 ? '0x0' : '0x1']);
        const isCreation = /deployed|creation/i.test(name);
        missing.push(...findMissing('receipt', receipt, [isCreation ? 'creation' : 'call', ...failed]));
        logs.push(...receipt.logs);
      }
      expect(logs).toEqual(await caller.call('eth_getLogs', { fromBlock: 'earliest' }));
      expect(logs.length).toBeGreaterThan(2);
      expect([...missing, ...logs.flatMap((log) => findMissing('log', log))]).toEqual([]);
    });

    it('miss no field of the fee history and the sync state', async () => {
      expect(findMissing('feeHistory', await caller.call('eth_feeHistory', '0x2', 'latest', [50]))).toEqual([]);
      expect(await caller.call('eth_syncing')).toBe(false);
      const state = readSyncState({ currentBlock: '0x1', highestBlock: '0x2' });
      expect(findMissing('sync state', state)).toEqual([]);
    });

    it(
      'can be read by cast, which decodes them with alloy',
      async () => {
        const { hash, transactions } = await cast<Block>('block', 'latest', '--full');
        expect(transactions).toHaveLength(Object.keys(hashes).length);
        for (const tag of ['earliest', 'pending', 'finalized', String(hash)]) await cast('block', tag);
        for (const transactionHash of Object.values(hashes)) {
          expect(await cast('tx', transactionHash)).toMatchObject({ hash: transactionHash, blockHash: hash });
          expect(await cast('receipt', transactionHash)).toMatchObject({ transactionHash, blockHash: hash });
        }
        expect((await cast<unknown[]>('logs', '--from-block', '0')).length).toBeGreaterThan(2);
      },
      TIMEOUT_MS,
    );
  });
});
