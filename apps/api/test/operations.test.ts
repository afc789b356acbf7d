import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BridgeOperationResponse } from '@causeway/protocol';
import {
  bridgeOperationResponseSchema,
  historyResponseSchema,
  operationsResponseSchema,
} from '@causeway/protocol/rest';
import type { OperationTerms } from '@causeway/store';
import { aBurn, aDelivery, aDeposit, aNativeWithdrawal, opening, paying } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';

let api: TemporaryApi;
beforeAll(async () => {
  api = await temporaryApi();
});
afterAll(async () => api.close());

const STATUS = '/api/v1/bridge/status';
const HISTORY = '/api/v1/bridge/history';

/** Stores operations that begin in one transaction, and returns its hash. */
async function begin(...terms: OperationTerms[]) {
  const txHash = aHash();
  const events = terms.map((one, logIndex) => ({ ...opening(one, logIndex), txHash }));
  return { txHash, block: await api.scan(terms[0]!.originChainId, { events }) };
}

async function makeFinal(terms: OperationTerms, holdUntil: Date | null = null) {
  const { txHash, block } = await begin(terms);
  const finality = { blockHash: block.hash, confirmations: 12, finalizedAt: block.timestamp, holdUntil };
  expect(await api.store.operations.finalizeAll(api.fence, [{ operationId: terms.id, ...finality }])).toEqual(
    new Set([terms.id]),
  );
  return txHash;
}

async function complete(terms: OperationTerms) {
  const txHash = await makeFinal(terms);
  await api.store.operations.releaseHolds(api.fence, [terms.id], new Date());
  const block = await api.scan(terms.destinationChainId, { events: [paying(terms)] });
  expect((await api.store.operations.settleAll(api.fence, [aDelivery(terms.destinationChainId, block)])).size).toBe(1);
  return txHash;
}

async function operation(query: string): Promise<BridgeOperationResponse> {
  const { status, body } = await api.get(`${STATUS}?${query}`);
  expect(status).toBe(200);
  return bridgeOperationResponseSchema.parse(body);
}

describe('GET /bridge/status', () => {
  it('finds a deposit by its transaction and by its id, in any letter case', async () => {
    const terms = aDeposit({ asset: 'ETH', amount: 3n });
    const originTxHash = await complete(terms);
    const found = await operation(`originTxHash=${originTxHash}`);
    expect(found).toMatchObject({
      id: terms.id,
      depositId: terms.id,
      withdrawId: null,
      asset: 'ETH',
      direction: 'ETHEREUM_TO_PARTNER',
      status: 'COMPLETED',
      amount: '3',
      fee: null,
      outputAmount: '3',
      originTxHash,
      originChainId: ETHEREUM,
      destinationChainId: PARTNER,
      requiredConfirmations: 12,
      holdUntil: null,
      estimatedCompletionTime: null,
      settlement: { chainId: PARTNER, amount: '3', recipient: terms.recipient, credited: false },
      otherOperationIds: [],
    });
    expect(await operation(`depositId=${terms.id.toUpperCase().replace('0X', '0x')}`)).toEqual(found);
  });

  it('shows a withdrawal with its fee, and its hold until that ends', async () => {
    const terms = aBurn({ amount: 2_000n, fee: 20n, outputAmount: 1_980n });
    const holdUntil = new Date(Date.now() + 60_000);
    await makeFinal(terms, holdUntil);
    expect(await operation(`withdrawId=${terms.id}`)).toMatchObject({
      status: 'AWAITING_RELAY',
      amountFormatted: '0.002',
      fee: { amount: '20', formatted: '0.00002', bps: 25 },
      outputAmountFormatted: '0.00198',
      originConfirmations: 12,
      holdUntil: holdUntil.toISOString(),
      settlement: null,
    });
    await api.store.operations.releaseHolds(api.fence, [terms.id], new Date());
    expect(await operation(`withdrawId=${terms.id}`)).toMatchObject({ holdUntil: null });
  });

  it('shows the completion time quoted at the start, whatever happens later', async () => {
    const terms = aBurn({ estimatedSeconds: 3_600 });
    await makeFinal(terms);
    const { createdAt, quotedCompletionTime } = await operation(`withdrawId=${terms.id}`);
    expect(Date.parse(quotedCompletionTime ?? '') - Date.parse(createdAt)).toBe(3_600_000);
    const { store, fence } = api;
    const delay = { operationId: terms.id, reason: 'PAUSED', nextAttemptAt: null } as const;
    await store.operations.delayAll(fence, [delay]);
    expect(await operation(`withdrawId=${terms.id}`)).toMatchObject({ status: 'DELAYED', quotedCompletionTime });
  });

  it('finds a withdrawal of native XCN by its withdrawId, and lists it', async () => {
    const terms = aNativeWithdrawal();
    const originTxHash = await complete(terms);
    const found = await operation(`withdrawId=${terms.id}`);
    expect(found).toMatchObject({
      asset: 'XCN',
      direction: 'PARTNER_TO_ETHEREUM',
      status: 'COMPLETED',
      originTxHash,
      withdrawId: terms.id,
      intentId: null,
    });
    expect(await api.get(`${STATUS}?intentId=${terms.id}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
    const { body } = await api.get(`${HISTORY}?address=${terms.recipient}`);
    expect(historyResponseSchema.parse(body).operations).toEqual([found]);
  });

  it('shows the reason of a delay', async () => {
    const terms = aBurn();
    await makeFinal(terms);
    const nextAttempt = new Date(Date.now() + 60_000);
    const delay = { operationId: terms.id, reason: 'COLLATERAL_SHORT', nextAttemptAt: nextAttempt } as const;
    await api.store.operations.delayAll(api.fence, [delay]);
    expect(await operation(`withdrawId=${terms.id}`)).toMatchObject({
      status: 'DELAYED',
      delayedReason: 'COLLATERAL_SHORT',
      delayedSince: expect.stringMatching(/^20/),
      settlement: null,
    });
  });

  it('answers the first operation of a transaction, names the others, and selects by index', async () => {
    const [first, second] = [aDeposit(), aDeposit()];
    const { txHash } = await begin(first, second);
    expect(await operation(`originTxHash=${txHash}`)).toMatchObject({ id: first.id, otherOperationIds: [second.id] });
    expect(await operation(`originTxHash=${txHash}&index=1`)).toMatchObject({
      id: second.id,
      otherOperationIds: [first.id],
    });
    expect(await api.get(`${STATUS}?originTxHash=${txHash}&index=2`)).toEqual(
      refusal(404, 'OPERATION_NOT_FOUND', expect.stringContaining('index is too high')),
    );
  });

  it('ignores an unknown identifier beside a known one, and refuses two that contradict each other', async () => {
    const [one, other] = [aDeposit(), aDeposit()];
    await begin(one);
    const { txHash } = await begin(other);
    expect(await operation(`depositId=${one.id}&withdrawId=${aHash()}`)).toMatchObject({ id: one.id });
    expect(await api.get(`${STATUS}?depositId=${one.id}&originTxHash=${txHash}`)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining('depositId')),
    );
  });

  it('answers 404 for an id under the wrong name and for an unknown one, and 400 without an identifier', async () => {
    const terms = aDeposit();
    await begin(terms);
    expect(await api.get(`${STATUS}?withdrawId=${terms.id}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
    expect(await api.get(`${STATUS}?depositId=${aHash()}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
    expect(await api.get(STATUS)).toEqual(refusal(400, 'VALIDATION_ERROR'));
  });

  it('may be kept once it has ended, but not before', async () => {
    const terms = aDeposit();
    const { txHash } = await begin(terms);
    const readCaching = async (query: string) => (await api.get(`${STATUS}?${query}`)).headers['cache-control'];
    expect(await readCaching(`originTxHash=${txHash}`)).toBe('no-store');
    expect(await readCaching(`originTxHash=${await complete(aDeposit())}`)).toBe('public, max-age=3600');
    const history = await api.get(`${HISTORY}?address=${terms.sender}`);
    expect(history.headers['cache-control']).toBe('no-store');
  });

  it('forgets a deposit removed by a reorg', async () => {
    const terms = aDeposit();
    const { block } = await begin(terms);
    expect(await operation(`depositId=${terms.id}`)).toMatchObject({ status: 'CONFIRMING' });
    await api.store.scan.rollBack(api.fence, ETHEREUM, block.number - 1n);
    expect(await api.get(`${STATUS}?depositId=${terms.id}`)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
  });
});

describe('GET /bridge/history', () => {
  const page = async (query: string) => {
    const { status, body } = await api.get(`${HISTORY}?${query}`);
    expect(status).toBe(200);
    return historyResponseSchema.parse(body);
  };

  it('lists the operations of a sender and of a recipient, newest first, by page', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    const [first, second] = [aDeposit({ sender, recipient }), aBurn({ sender: recipient, recipient: sender })];
    await begin(first);
    await begin(second);
    for (const address of [sender, recipient]) {
      const newest = await page(`address=${address}&limit=1`);
      expect(newest.operations.map(({ id }) => id)).toEqual([second.id]);
      expect(newest.pagination).toEqual({ limit: 1, offset: 0, hasMore: true, nextCursor: second.id });
      const next = await page(`address=${address}&limit=1&cursor=${second.id}`);
      expect(next.operations.map(({ id }) => id)).toEqual([first.id]);
      expect(next.pagination).toEqual({ limit: 1, offset: 0, hasMore: false, nextCursor: null });
      const oldest = await page(`address=${address}&limit=1&offset=1`);
      expect(oldest.operations.map(({ id }) => id)).toEqual([first.id]);
      expect(oldest.pagination.hasMore).toBe(false);
    }
    const deposits = await page(`address=${recipient}&direction=ETHEREUM_TO_PARTNER`);
    expect(deposits.operations.map(({ id }) => id)).toEqual([first.id]);
  });

  it('refuses more than 100 ids', async () => {
    const ids = Array.from({ length: 101 }, aHash).join(',');
    expect(await api.get(`${HISTORY}?ids=${ids}`)).toEqual(
      refusal(400, 'VALIDATION_ERROR', 'ids must be at most 100, separated by commas'),
    );
  });

  it('filters by role and by status', async () => {
    const [sender, recipient] = [anAddress(), anAddress()];
    const [sent, received] = [aDeposit({ sender, recipient }), aBurn({ sender: recipient, recipient: sender })];
    await complete(sent);
    await begin(received);
    const listIds = async (query: string) => (await page(`address=${sender}&${query}`)).operations.map(({ id }) => id);
    expect(await listIds('role=sender')).toEqual([sent.id]);
    expect(await listIds('role=recipient')).toEqual([received.id]);
    expect(await listIds('status=COMPLETED')).toEqual([sent.id]);
    expect(await listIds('status=CONFIRMING,COMPLETED')).toEqual([received.id, sent.id]);
    expect(await listIds('status=FAILED')).toEqual([]);
    expect(await listIds('status=CONFIRMING&role=sender')).toEqual([]);
  });

  it('lists operations by their ids, in that order, without those that are unknown', async () => {
    const [one, other] = [aDeposit(), aBurn()];
    await begin(one);
    await begin(other);
    const { operations, pagination } = await page(
      `ids=${other.id},${aHash()},${one.id.toUpperCase().replace('0X', '0x')}`,
    );
    expect(operations.map(({ id }) => id)).toEqual([other.id, one.id]);
    expect(pagination).toEqual({ limit: 100, offset: 0, hasMore: false, nextCursor: null });
  });

  it('is empty for an unknown address', async () => {
    expect(await page(`address=${anAddress()}`)).toEqual({
      operations: [],
      pagination: { limit: 10, offset: 0, hasMore: false, nextCursor: null },
    });
  });

  it.each([
    ['address=0x12', 'address'],
    ['', 'address'],
    [`address=${anAddress()}&limit=101`, 'limit'],
    [`address=${anAddress()}&offset=-1`, 'offset'],
    [`address=${anAddress()}&direction=UP`, 'direction'],
    [`address=${anAddress()}&page=2`, 'page'],
    [`address=${anAddress()}&role=owner`, 'role'],
    [`address=${anAddress()}&status=COMPLETED,DONE`, 'status.1'],
    [`address=${anAddress()}&cursor=${aHash()}`, 'cursor'],
    [`address=${anAddress()}&offset=1&cursor=${aHash()}`, 'offset'],
    [`address=${anAddress()}&offset=1&role=sender`, 'offset'],
    [`address=${anAddress()}&ids=${aHash()}`, 'ids'],
    [`ids=${aHash()},0x12`, 'ids.1'],
  ])('refuses the query "%s", naming %s', async (query, field) => {
    expect(await api.get(`${HISTORY}?${query}`)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringMatching(new RegExp(`^${field} `))),
    );
  });
});

describe('GET /bridge/operations', () => {
  const OPERATIONS = '/api/v1/bridge/operations';
  async function page(query: string) {
    const { status, body, headers } = await api.get(`${OPERATIONS}?${query}`);
    expect({ status, cached: headers['cache-control'] }).toEqual({ status: 200, cached: 'no-store' });
    return operationsResponseSchema.parse(body);
  }
  const listIds = async (query: string) => (await page(query)).operations.map(({ id }) => id);

  it('lists all wallets, newest first, also by asset, direction and status', async () => {
    const [completed, confirming, burn] = [aDeposit({ asset: 'ETH' }), aDeposit({ asset: 'USDC' }), aBurn()];
    await complete(completed);
    await begin(confirming);
    await begin(burn);
    const begun = [burn.id, confirming.id, completed.id];
    const ours = async (query: string) => (await listIds(`limit=100&${query}`)).filter((id) => begun.includes(id));
    const { operations } = await page('limit=100');
    expect(operations).toContainEqual(await operation(`withdrawId=${burn.id}`));
    const times = operations.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(await ours(''))).toEqual(new Set(begun));
    expect(await ours('asset=ETH')).toEqual([completed.id]);
    expect(await ours('direction=ETHEREUM_TO_PARTNER')).toEqual([confirming.id, completed.id]);
    expect(await ours('status=COMPLETED')).toEqual([completed.id]);
    expect(await ours('asset=USDC&direction=ETHEREUM_TO_PARTNER&status=CONFIRMING')).toEqual([confirming.id]);
    expect(await ours('asset=ETH&direction=ETHEREUM_TO_PARTNER&status=CONFIRMING')).toEqual([]);
  });

  it('is read page by page; a new operation causes neither gaps nor repetitions', async () => {
    const all = await listIds('limit=100');
    const found: string[] = [];
    const added = aDeposit();
    for (let cursor: string | null = ''; cursor !== null;) {
      const { operations, pagination } = await page(`limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(pagination).toMatchObject({ limit: 7, hasMore: pagination.nextCursor !== null });
      found.push(...operations.map(({ id }) => id));
      if (cursor === '') await begin(added);
      cursor = pagination.nextCursor;
    }
    expect(found.filter((id) => id !== added.id)).toEqual(all);
  });

  it.each([
    ['limit=101', 'limit'],
    ['asset=DOGE', 'asset'],
    ['direction=UP', 'direction'],
    ['status=COMPLETED,FAILED', 'status'],
    ['cursor=%22', 'cursor'],
    ['cursor=bm90', 'cursor'],
    ['address=0x12', 'address'],
  ])('refuses a list by "%s", naming %s', async (query, field) => {
    expect(await api.get(`${OPERATIONS}?${query}`)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringMatching(new RegExp(`^${field} `))),
    );
  });
});

describe('a request for an unknown endpoint', () => {
  const INTENT = '/api/v1/bridge/xcn-withdraw-intent';

  it.each(['/api/v1/bridge/nothing', '/nothing', '/api/v1/bridge/status/'])(
    'is answered with 404 at %s',
    async (path) => {
      expect(await api.get(path)).toEqual(refusal(404, 'NOT_FOUND', expect.stringContaining(path)));
    },
  );

  it('is answered in the same form when its body is unusable', async () => {
    expect(await api.post(INTENT, '{"a":')).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringContaining('body')));
    expect(await api.post(INTENT, 'a=1', 'text/plain')).toEqual(refusal(415, 'UNSUPPORTED_MEDIA_TYPE'));
    expect(await api.post(INTENT, { a: 'x'.repeat(100_000) })).toEqual(refusal(413, 'PAYLOAD_TOO_LARGE'));
    expect(await api.post(INTENT, [])).toEqual(refusal(400, 'VALIDATION_ERROR'));
  });
});
