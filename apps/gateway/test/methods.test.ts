import { waitUntil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pad, type Hex } from 'viem';
import { Caller, FakeConnection } from './setup/caller.js';
import { CONFIRMATIONS, openChain, type TestChain } from './setup/chains.js';
import { EMITTER_CODE, populateChain, Sender, TOPIC, type PopulatedChain } from './setup/populated-chain.js';

interface Log {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly removed: boolean;
}

const SOMEONE = '0x000000000000000000000000000000000000dead';
const MISSING = `0x${'12'.repeat(32)}`;
/** Creation code that reverts with the bytes 0xaabb. */
const REVERTING = '0x61aabb5f526002601efd';

/** Waits until it is true. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 400 && !isTrue(); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  expect(isTrue()).toBe(true);
}

function toHead(block: object): object {
  const { hash, number } = block as { hash: Hex; number: Hex };
  return { hash, number };
}

describe.each(['upstream', 'embedded'] as const)('the methods over the %s backend', (kind) => {
  const connection = new FakeConnection();
  let world: TestChain;
  let caller: Caller;
  let sender: Sender;
  let chain: PopulatedChain;

  beforeAll(async () => {
    world = await openChain(kind);
    caller = new Caller(world.methods, connection);
    sender = new Sender(caller);
    chain = await populateChain(caller);
  });
  afterAll(async () => {
    connection.close();
    await world?.close();
  });

  it('return the facts of the chain', async () => {
    expect(await caller.call('eth_chainId')).toBe('0x22c5');
    expect(await caller.call('net_version')).toBe('8901');
    expect(await caller.call('eth_syncing')).toBe(false);
    expect(await caller.call('eth_getCode', chain.emitter)).toBe(EMITTER_CODE);
  });

  it('treat the newest block with the bridge’s confirmations as the safe and the final one', async () => {
    const head = Number(await caller.call('eth_blockNumber'));
    const final = `0x${(head - (CONFIRMATIONS - 1)).toString(16)}`;
    const readNumber = async (tag: string) =>
      (await caller.call<{ number: Hex }>('eth_getBlockByNumber', tag, false)).number;
    await waitUntil('the newest block has been looked at', async () => (await readNumber('safe')) === final);
    for (const tag of ['safe', 'finalized']) {
      expect(await caller.call('eth_getBlockByNumber', tag, false)).toMatchObject({ number: final });
      const balance = await caller.call('eth_getBalance', sender.address, tag);
      expect(balance).toBe(await caller.call('eth_getBalance', sender.address, final));
      expect(balance).not.toBe(await caller.call('eth_getBalance', sender.address, 'latest'));
      const since = await caller.call<Log[]>('eth_getLogs', { fromBlock: tag });
      expect(since).toEqual(await caller.call('eth_getLogs', { fromBlock: final }));
      expect(await caller.call('eth_feeHistory', '0x1', tag, [])).toMatchObject({ oldestBlock: final });
    }
  });

  it('return null for unknown things, and -32001 for unknown state', async () => {
    for (const method of [
      'eth_getTransactionByHash',
      'eth_getTransactionReceipt',
      'eth_getBlockByHash',
      'eth_getBlockReceipts',
      'eth_getBlockTransactionCountByHash',
      'eth_getUncleCountByBlockHash',
    ]) {
      expect([method, await caller.call(method, MISSING)]).toEqual([method, null]);
    }
    expect(await caller.call('eth_getBlockByNumber', '0xfffffff')).toBeNull();
    expect(await caller.call('eth_getTransactionByBlockNumberAndIndex', 'latest', '0xff')).toBeNull();
    expect((await caller.refusal('eth_getBalance', SOMEONE, '0xfffffff')).code).toBe(-32001);
    expect((await caller.refusal('eth_call', { to: SOMEONE }, { blockHash: MISSING })).code).toBe(-32001);
    expect((await caller.refusal('debug_traceTransaction', MISSING, { tracer: 'callTracer' })).code).toBe(-32001);
  });

  it('answer a revert with -32000 and its bytes, and an impossible transaction with -32003', async () => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const { code, data } = await caller.refusal(method, { from: sender.address, data: REVERTING });
      expect([method, code, data]).toEqual([method, -32000, '0xaabb']);
    }
    const raw = await caller.call<{ hash: Hex }>('eth_getTransactionByHash', chain.hashes.legacy);
    expect(raw.hash).toBe(chain.hashes.legacy);
    expect((await caller.refusal('eth_sendRawTransaction', '0x02c0')).code).toBe(-32003);
    expect((await caller.refusal('eth_sendRawTransaction', '0x')).code).toBe(-32003);
  });

  it('refuse to simulate a transaction for another chain', async () => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const call = { from: sender.address, to: sender.address };
      const { code, message } = await caller.refusal(method, { ...call, chainId: '0x1' });
      expect([method, code, message]).toEqual([method, -32602, expect.stringContaining("this chain's, 0x22c5")]);
      expect(await caller.call(method, { ...call, chainId: '0x22C5' })).toEqual(await caller.call(method, call));
    }
  });

  it('report new logs to a filter once, and all of its range on demand', async () => {
    const id = await caller.call<Hex>('eth_newFilter', {
      fromBlock: 'earliest',
      address: chain.emitter,
      topics: [TOPIC],
    });
    const other = await caller.call<Hex>('eth_newFilter', { topics: [pad('0x99', { size: 32 })] });
    expect(await caller.call('eth_getFilterChanges', id)).toEqual([]);
    const hash = await sender.emit(chain.emitter);
    await sender.emit(chain.emitter, pad('0x78', { size: 32 }));
    const changes = await caller.call<Log[]>('eth_getFilterChanges', id);
    expect(changes.map(({ transactionHash, removed }) => [transactionHash, removed])).toEqual([[hash, false]]);
    expect(await caller.call('eth_getFilterChanges', id)).toEqual([]);
    expect(await caller.call('eth_getFilterChanges', other)).toEqual([]);
    const all = await caller.call<Log[]>('eth_getFilterLogs', id);
    const { accessList, dynamicFee, emitted } = chain.hashes;
    expect(all.map(({ transactionHash }) => transactionHash)).toEqual([accessList, dynamicFee, emitted, hash]);
    expect(await caller.call('eth_uninstallFilter', id)).toBe(true);
    expect((await caller.refusal('eth_getFilterChanges', id)).code).toBe(-32000);
  });

  it('report hashes to block filters and pending filters', async () => {
    const blocks = await caller.call<Hex>('eth_newBlockFilter');
    const pending = await caller.call<Hex>('eth_newPendingTransactionFilter');
    const hash = await sender.emit(chain.emitter);
    const { blockHash } = await caller.call<{ blockHash: Hex }>('eth_getTransactionReceipt', hash);
    expect(await caller.call('eth_getFilterChanges', blocks)).toEqual([blockHash]);
    const hashes: Hex[] = [];
    for (let attempt = 0; attempt < 100 && !hashes.includes(hash); attempt += 1) {
      hashes.push(...(await caller.call<Hex[]>('eth_getFilterChanges', pending)));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // A node can report recent transactions late.
    expect(hashes).toContain(hash);
    expect((await caller.refusal('eth_getFilterLogs', blocks)).code).toBe(-32000);
  });

  it('deliver heads, logs and pending transactions to subscribers', async () => {
    const heads = await caller.call<Hex>('eth_subscribe', 'newHeads');
    const logs = await caller.call<Hex>('eth_subscribe', 'logs', { address: [chain.emitter], topics: [[TOPIC]] });
    const pending = await caller.call<Hex>('eth_subscribe', 'newPendingTransactions', false);
    const syncing = await caller.call<Hex>('eth_subscribe', 'syncing');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const hash = await sender.emit(chain.emitter);
    const receipt = await caller.call<{ blockHash: Hex; logs: Log[] }>('eth_getTransactionReceipt', hash);
    // A busy gateway can see blocks from before the subscription only now.
    const listHeads = () =>
      (connection.results(heads) as { hash: Hex }[]).filter(({ hash: each }) => each === receipt.blockHash);
    const listLogs = () =>
      (connection.results(logs) as Log[]).filter(({ blockHash }) => blockHash === receipt.blockHash);
    await until(() => [listHeads(), listLogs(), connection.results(pending)].every((results) => results.length > 0));
    const [head = {}] = listHeads();
    const block = await caller.call<object>('eth_getBlockByHash', receipt.blockHash);
    expect(block).toMatchObject(head);
    expect(head).not.toHaveProperty('transactions');
    expect(listLogs()).toEqual(receipt.logs);
    expect(connection.results(pending)).toEqual([hash]);
    expect(connection.results(syncing)).toEqual([false]);
    for (const id of [heads, logs, pending, syncing]) expect(await caller.call('eth_unsubscribe', id)).toBe(true);
    expect(await caller.call('eth_unsubscribe', heads)).toBe(false);
    expect(world.subscriptions.count()).toBe(0);
  });

  it('refuse unknown subscriptions', async () => {
    const refusals: readonly (readonly [readonly unknown[], string])[] = [
      [['everything'], 'must be one of newHeads, logs'],
      [['newHeads', { address: chain.emitter }], 'newHeads takes no filter'],
      [['newPendingTransactions', true], 'must be an object, for logs only'],
      [['logs', { address: 'x' }], 'params[1].address (filter): must be an address'],
      [['logs', { blockHash: MISSING }], 'not supported here'],
    ];
    for (const [params, words] of refusals) {
      const { code, message } = await caller.refusal('eth_subscribe', ...params);
      expect([code, message]).toEqual([-32602, expect.stringContaining(words)]);
    }
    const overHttp = new Caller(world.methods);
    expect((await overHttp.refusal('eth_subscribe', 'newHeads')).code).toBe(-32004);
    expect((await overHttp.refusal('eth_unsubscribe', '0x1')).code).toBe(-32004);
  });

  it('open nothing for a notification, but end what it names', async () => {
    const { filters, subscriptions } = world;
    const before = [filters.count(), subscriptions.count()];
    await caller.notify('eth_newFilter', {});
    await caller.notify('eth_newBlockFilter');
    await caller.notify('eth_newPendingTransactionFilter');
    await caller.notify('eth_subscribe', 'newHeads');
    expect([filters.count(), subscriptions.count()]).toEqual(before);
    const filter = await caller.call('eth_newBlockFilter');
    const subscription = await caller.call('eth_subscribe', 'newHeads');
    await caller.notify('eth_uninstallFilter', filter);
    await caller.notify('eth_unsubscribe', subscription);
    expect([filters.count(), subscriptions.count()]).toEqual(before);
  });

  it('describe the node, the network, its validators and its fees', async () => {
    const head = await caller.call<Hex>('eth_blockNumber');
    expect(await caller.call('partner_getNodeInfo')).toEqual({
      clientVersion: await caller.call('web3_clientVersion'),
      chainId: '0x22c5',
      networkId: '8901',
      backend: kind,
      blockNumber: head,
      syncing: false,
      peerCount: '0x0',
      nativeCurrency: { symbol: 'XCN', decimals: 18, evmDecimals: 8 },
    });
    const stats = await caller.call<Record<string, unknown>>('partner_getNetworkStats');
    expect(stats).toMatchObject({
      blockNumber: head,
      window: { fromBlock: '0x1', toBlock: head },
      pendingTransactions: '0x0',
    });
    expect(stats['gasUsedRatio']).toBeGreaterThan(0);
    expect(await caller.call('partner_getValidators')).toEqual([
      { address: expect.stringMatching(/^0x[0-9a-f]{40}$/), active: true },
    ]);
    const gwei = (tenths: number) => `0x${(tenths * 1e8).toString(16)}`;
    const { baseFeePerGas } = await caller.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', 'latest');
    expect(await caller.call('partner_getFeeSchedule')).toEqual({
      baseFeePerGas,
      levels: {
        low: { gasPrice: gwei(5), maxPriorityFeePerGas: '0x0', confirmationSeconds: { min: 10, max: 30 } },
        standard: { gasPrice: gwei(10), maxPriorityFeePerGas: gwei(5), confirmationSeconds: { min: 3, max: 10 } },
        fast: { gasPrice: gwei(20), maxPriorityFeePerGas: gwei(15), confirmationSeconds: { min: 0, max: 3 } },
        instant: { gasPrice: gwei(50), maxPriorityFeePerGas: gwei(45), confirmationSeconds: { min: 0, max: 2 } },
      },
      gasLimits: {
        simpleTransfer: '0x5208',
        newAccountTransfer: '0x8f4f8',
        erc20Transfer: '0xfde8',
        contractDeploy: '0x7a120',
        complexInteraction: '0x493e0',
      },
    });
  });
});

describe('a reorganisation of a real node', () => {
  let world: TestChain;
  beforeAll(async () => {
    world = await openChain('upstream');
  });
  afterAll(async () => await world?.close());

  it('delivers removed logs and the new branch to subscribers and filters', async () => {
    const connection = new FakeConnection();
    const caller = new Caller(world.methods, connection);
    const sender = new Sender(caller);
    const { emitter } = await populateChain(caller);
    const filter = await caller.call<Hex>('eth_newFilter', { address: emitter });
    const logs = await caller.call<Hex>('eth_subscribe', 'logs', { address: emitter });
    const heads = await caller.call<Hex>('eth_subscribe', 'newHeads');
    await new Promise((resolve) => setTimeout(resolve, 20));
    // The node can report earlier blocks late, so only this transaction's log is checked.
    const hash = await sender.emit(emitter);
    const told = () => (connection.results(logs) as Log[]).filter(({ transactionHash }) => transactionHash === hash);
    await until(() => told().length === 1);
    const polled = await caller.call<Log[]>('eth_getFilterChanges', filter);
    expect(polled.at(-1)).toEqual(told()[0]);

    await world.anvil!.request('anvil_reorg', [1, []]);
    await until(() => told().length === 2);
    expect(told()[1]).toEqual({ ...told()[0], removed: true });
    expect(await caller.call('eth_getFilterChanges', filter)).toEqual([told()[1]]);
    const last = () => (connection.results(heads).at(-1) as { hash: Hex; number: Hex }) ?? {};
    await until(() => last().hash !== told()[0]!.blockHash);
    expect(last()).toMatchObject(await caller.call<object>('eth_getBlockByNumber', 'latest').then(toHead));

    const again = await sender.emit(emitter, pad('0x1', { size: 32 }));
    await until(() => (connection.results(logs) as Log[]).some(({ transactionHash }) => transactionHash === again));
    const changes = await caller.call<Log[]>('eth_getFilterChanges', filter);
    expect(changes.map(({ transactionHash, removed }) => [transactionHash, removed])).toEqual([[again, false]]);
    expect(connection.reason).toBeNull();
    connection.close();
  });
});
