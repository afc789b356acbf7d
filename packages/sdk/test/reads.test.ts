import { afterEach, describe, expect, it } from '@jest/globals';
import type { ConfigResponse, HistoryResponse } from '@causeway/protocol';
import type { Hex } from 'viem';
import {
  connectBridge,
  explainHash,
  getConfig,
  getHealth,
  getHistory,
  getLimits,
  getQuote,
  getRefund,
  getReserves,
  getState,
  getStatus,
  iterateHistory,
  listOperations,
  watchOperation,
  type Bridge,
  type Token,
} from '../src/index.js';
import { makeAnswer, makeBook, refuse, startApi, type Answer, type ApiServer } from './api-server.js';

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const ACCOUNT = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
const WRONG_CHECKSUM = '0xd8da6BF26964aF9D7eEd9e03E53415D37aA96045';

let api: ApiServer | undefined;
afterEach(async () => api?.close());

const quoted = { asset: 'USDC', amount: '25', direction: 'PARTNER_TO_ETHEREUM' } as const;

/** Each read: its example, its path, a call, the query of the call, and a field that it checks. */
const READS: [string, string, (bridge: Bridge) => Promise<unknown>, Readonly<Record<string, string>>, string][] = [
  ['getConfig', 'bridge/config', async (bridge) => getConfig(bridge), {}, 'relayerWalletAddress'],
  ['getLimits', 'bridge/limits', async (bridge) => getLimits(bridge), {}, 'PARTNER_TO_ETHEREUM'],
  [
    'getFeeQuote',
    'bridge/fee-quote',
    async (bridge) => getQuote(bridge, { ...quoted, sender: ACCOUNT, recipient: ACCOUNT }),
    { token: 'USDC', amount: '25', direction: 'PARTNER_TO_ETHEREUM', sender: ACCOUNT, recipient: ACCOUNT },
    'feeAmount',
  ],
  [
    'getStatus',
    'bridge/status',
    async (bridge) => getStatus(bridge, { originTxHash: HASH, index: 1 }),
    { originTxHash: HASH, index: '1' },
    'status',
  ],
  ['getStatus', 'bridge/status', async (bridge) => getStatus(bridge, { intentId: HASH }), { intentId: HASH }, 'id'],
  [
    'getHistory',
    'bridge/history',
    async (bridge) =>
      getHistory(bridge, { address: ACCOUNT, limit: 5, role: 'sender', status: ['FAILED', 'EXPIRED'], cursor: HASH }),
    { address: ACCOUNT, cursor: HASH, limit: '5', role: 'sender', status: 'FAILED,EXPIRED' },
    'pagination',
  ],
  [
    'getHistory',
    'bridge/history',
    async (bridge) => getHistory(bridge, { ids: [HASH, HASH] }),
    { ids: `${HASH},${HASH}` },
    'operations',
  ],
  [
    'listOperations',
    'bridge/operations',
    async (bridge) => listOperations(bridge, { asset: 'ETH', direction: 'ETHEREUM_TO_PARTNER', status: 'FAILED' }),
    { asset: 'ETH', direction: 'ETHEREUM_TO_PARTNER', status: 'FAILED' },
    'pagination',
  ],
  [
    'explain',
    'bridge/explain',
    async (bridge) => explainHash(bridge, { hash: HASH, sender: ACCOUNT, nonce: 0 }),
    { hash: HASH, sender: ACCOUNT, nonce: '0' },
    'nextStep',
  ],
  ['getRefund', `bridge/refunds/${HASH}`, async (bridge) => getRefund(bridge, HASH), {}, 'payment'],
  [
    'getReserves',
    'bridge/reserves',
    async (bridge) => getReserves(bridge, { limit: 5, before: 20_787 }),
    { limit: '5', before: '20787' },
    'statements',
  ],
  ['getState', 'bridge/state', async (bridge) => getState(bridge), {}, 'directions'],
  ['getHealth', 'health', async (bridge) => getHealth(bridge), {}, 'components'],
];

describe('a quote', () => {
  it('in atomic units requests the equal decimal', async () => {
    const [config, answer] = [makeAnswer<object>('getConfig'), makeAnswer<object>('getFeeQuote')];
    api = await startApi({ 'bridge/config': config, 'bridge/fee-quote': answer });
    expect(await getQuote(api.bridge, { ...quoted, asset: 'USDC', amount: 25_500_000n })).toEqual(answer);
    expect(api.seen.at(-1)?.query).toMatchObject({ token: 'USDC', amount: '25.5' });
    await expect(getQuote(api.bridge, { ...quoted, asset: 'DOGE', amount: 1n })).rejects.toMatchObject({
      name: 'InvalidInputError',
      field: 'asset',
    });
  });
});

describe('a read', () => {
  it.each(READS)('%s %s returns the answer of the API with all its fields', async (example, path, read, query) => {
    const answer = makeAnswer<object>(example, { aFieldOfANewerApi: 1 });
    api = await startApi({ [path]: answer });
    expect(await read(api.bridge)).toEqual(answer);
    expect(api.seen).toMatchObject([{ method: 'GET', path, query }]);
    expect(api.seen[0]?.query).toEqual(query);
  });

  it.each(READS)('%s %s refuses an answer with a wrong field, and names it', async (example, path, read, _, field) => {
    api = await startApi({ [path]: makeAnswer<object>(example, { [field]: 1 }) });
    await expect(read(api.bridge)).rejects.toMatchObject({
      name: 'AnswerError',
      field: expect.stringContaining(field),
    });
  });

  it.each<[string, (bridge: Bridge) => Promise<unknown>]>([
    ['amount', async (bridge) => getQuote(bridge, { ...quoted, amount: '1e3' })],
    ['amount', async (bridge) => getQuote(bridge, { ...quoted, amount: 25 as unknown as string })],
    ['sender', async (bridge) => getQuote(bridge, { ...quoted, sender: WRONG_CHECKSUM })],
    ['recipient', async (bridge) => getQuote(bridge, { ...quoted, recipient: 'vitalik.eth' })],
    ['depositId', async (bridge) => getStatus(bridge, { depositId: '0x12' })],
    ['identifier', async (bridge) => getStatus(bridge, {} as { depositId: Hex })],
    ['identifier', async (bridge) => getStatus(bridge, { depositId: HASH, intentId: HASH })],
    ['address', async (bridge) => getHistory(bridge, { address: WRONG_CHECKSUM })],
    ['cursor', async (bridge) => getHistory(bridge, { address: ACCOUNT, cursor: '0x' })],
    ['ids', async (bridge) => getHistory(bridge, { ids: [HASH, '0x'] })],
    ['hash', async (bridge) => explainHash(bridge, { hash: '0x' })],
    ['id', async (bridge) => getRefund(bridge, `${HASH}/../../../health` as Hex)],
    ['originTxHash', async (bridge) => watchOperation(bridge, { originTxHash: '0x' }).next()],
  ])('with a malformed %s makes no request', async (field, read) => {
    api = await startApi({});
    await expect(read(api.bridge)).rejects.toMatchObject({ name: 'InvalidInputError', field });
    expect(api.seen).toEqual([]);
  });

  it('needs an address of HTTP', () => {
    for (const apiUrl of ['', 'bridge.example', 'ftp://bridge.example', 'javascript:alert(1)'])
      expect(() => connectBridge({ apiUrl })).toThrow(expect.objectContaining({ field: 'apiUrl' }));
  });
});

describe('an unhealthy bridge', () => {
  it('is an answer', async () => {
    const halts = [{ chainId: 1, since: '2027-01-15T08:00:01.000Z' }];
    const answer = makeAnswer<object>('getHealth', { status: 'unhealthy', halts });
    api = await startApi({ health: refuse(503, answer, { 'retry-after': '5' }) });
    expect(await getHealth(api.bridge)).toEqual(answer);
  });

  it('is not an answer when a proxy or a limit refuses', async () => {
    api = await startApi({
      health: refuse(503, { error: 'SERVICE_UNAVAILABLE', message: 'later' }, { 'retry-after': '99' }),
    });
    await expect(getHealth(api.bridge)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await api.close();
    api = await startApi({ health: refuse(503, '<html></html>', { 'retry-after': '99' }) });
    await expect(getHealth(api.bridge)).rejects.toMatchObject({ name: 'UnreachableError' });
  });
});

describe('a configuration', () => {
  const CONFIG = makeAnswer<ConfigResponse>('getConfig');
  const BOOK = makeBook(CONFIG);
  async function read(answer: Answer, options: object) {
    api = await startApi({ 'bridge/config': answer }, options);
    return getConfig(api.bridge);
  }

  it('of the environment and the contracts of the connection is accepted, in any case of letters', async () => {
    expect(await read(CONFIG, { environment: 'local', addressBook: BOOK })).toEqual(CONFIG);
  });

  it.each<[string, object, object]>([
    ['environment', { environment: 'mainnet' }, {}],
    ['environment', { addressBook: { ...BOOK, environment: 'testnet' } }, {}],
    ['ethereum.chainId', { addressBook: BOOK }, { ethereum: { ...CONFIG.ethereum, chainId: 1 } }],
    ['ethereum.bridgeLock', { addressBook: BOOK }, { ethereum: { ...CONFIG.ethereum, bridgeLock: ACCOUNT } }],
    ['partner.chainId', { addressBook: BOOK }, { partner: { ...CONFIG.partner, chainId: 1 } }],
    ['partner.bridgeMint', { addressBook: BOOK }, { partner: { ...CONFIG.partner, bridgeMint: ACCOUNT } }],
    [
      'ethereum.tokens.ETH',
      { addressBook: BOOK },
      {
        ethereum: { ...CONFIG.ethereum, tokens: [{ token: 'ETH', address: ACCOUNT, decimals: 18, granularity: '1' }] },
      },
    ],
    [
      'partner.tokens.USDC',
      { addressBook: BOOK },
      { partner: { ...CONFIG.partner, tokens: [{ token: 'USDC', address: ACCOUNT, decimals: 6, granularity: '1' }] } },
    ],
  ])('of another %s is refused', async (field, options, changes) => {
    await expect(read({ ...CONFIG, ...changes }, options)).rejects.toMatchObject({ name: 'AnswerError', field });
  });

  const DAI = { token: 'DAI', address: CONFIG.partner.bridgeMint, decimals: 8, granularity: '1' };
  const ofDai = {
    ...BOOK,
    ethereum: { ...BOOK.ethereum, tokens: { ...BOOK.ethereum.tokens, DAI: DAI.address } },
    assets: { DAI: { decimals: 8, dust: '1' } },
  };
  const withTokens = (change: (token: Token) => Token, more: readonly Token[] = []) => {
    const { ethereum } = CONFIG;
    return { ...CONFIG, ethereum: { ...ethereum, tokens: [...ethereum.tokens.map(change), ...more] } };
  };

  it.each<[string, string, object, ReturnType<typeof withTokens>]>([
    ['decimals of a specified asset', 'ETH.decimals', {}, withTokens((each) => ({ ...each, decimals: 20 }))],
    ['granularity of a specified asset', 'ETH.granularity', {}, withTokens((each) => ({ ...each, granularity: '10' }))],
    [
      'decimals of an asset of the book',
      'DAI.decimals',
      { addressBook: ofDai },
      withTokens((each) => each, [{ ...DAI, decimals: 10 }]),
    ],
  ])('of other %s is refused', async (_, field, options, answer) => {
    await expect(read(answer, options)).rejects.toMatchObject({
      name: 'AnswerError',
      field: `ethereum.tokens.${field}`,
    });
  });

  it('has an asset of the book, with the units of the book', async () => {
    const answer = withTokens((each) => each, [DAI]);
    expect(await read(answer, { addressBook: ofDai })).toEqual(answer);
  });

  it('may have more assets than the book: they are left out', async () => {
    const further = ['DAI', 'toString'].map((token) => ({ token, address: ACCOUNT, decimals: 18, granularity: '1' }));
    const { ethereum } = CONFIG;
    const answer = { ...CONFIG, ethereum: { ...ethereum, tokens: [...ethereum.tokens, ...further] } };
    expect(await read(answer, { addressBook: BOOK })).toEqual(CONFIG);
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('a whole history', () => {
  const [first, second] = makeAnswer<HistoryResponse>('getHistory').operations;
  const page = (operations: unknown[], nextCursor: Hex | null) => ({
    operations,
    pagination: { limit: 1, offset: 0, hasMore: nextCursor !== null, nextCursor },
  });
  const CURSORS: readonly Hex[] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
  const pages: Answer = (response, { query: { cursor } }) => {
    const answer =
      cursor === undefined
        ? page([first], CURSORS[0] ?? null)
        : cursor === CURSORS[0]
          ? page([], CURSORS[1] ?? null)
          : page([second], null);
    response.writeHead(200).end(JSON.stringify(answer));
  };

  it('is read page by page, also past an empty one', async () => {
    api = await startApi({ 'bridge/history': pages });
    const found = await collect(iterateHistory(api.bridge, { address: ACCOUNT, role: 'sender', limit: 1 }));
    expect(found).toEqual([first, second]);
    expect(api.seen.map(({ query }) => query)).toEqual(
      [{}, { cursor: CURSORS[0] }, { cursor: CURSORS[1] }].map((cursor) => ({
        address: ACCOUNT,
        role: 'sender',
        limit: '1',
        ...cursor,
      })),
    );
  });

  it('asks for no more pages than the caller takes', async () => {
    api = await startApi({ 'bridge/history': pages });
    for await (const operation of iterateHistory(api.bridge, { address: ACCOUNT })) {
      expect(operation).toEqual(first);
      break;
    }
    expect(api.seen).toHaveLength(1);
  });

  it('does not go round in circles', async () => {
    api = await startApi({ 'bridge/history': page([first], CURSORS[0] ?? null) });
    await expect(collect(iterateHistory(api.bridge, { address: ACCOUNT }))).rejects.toMatchObject({
      name: 'AnswerError',
      field: 'pagination.nextCursor',
    });
    expect(api.seen).toHaveLength(2);
  });
});
