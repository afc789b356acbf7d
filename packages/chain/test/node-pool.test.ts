import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startAnvil, waitUntil, type Anvil } from '@causeway/test-kit';
import { hexToBigInt, numberToHex, type Hex } from 'viem';
import { WebSocketServer } from 'ws';
import { connectChain, QuorumError, WrongChainError, type ChainConnection, type ChainOptions } from '../src/index.js';
import { proveBlocks } from '../src/reader/proven-blocks.js';
import { withLyingNode, type Lie } from './lying-node.js';

// Nodes of three operators: an honest anvil, a second connection to it, and a faulty node.

const CHAIN_ID = 31_337;
const TIMEOUT_MS = 400;
const honestly: Lie = (_, result) => result;

let honest: Anvil;
const open: ChainConnection[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  honest = await startAnvil({ chainId: CHAIN_ID });
  await honest.test.mine({ blocks: 60 });
});
afterEach(async () => {
  for (const connection of open.splice(0)) connection.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
afterAll(async () => honest.stop());

function connect(urls: string[], over: Partial<ChainOptions> = {}): ChainConnection {
  const connection = connectChain({
    name: 'ethereum',
    chainId: CHAIN_ID,
    urls,
    quorum: 2,
    confirmations: 4,
    timeoutMs: TIMEOUT_MS,
    ...over,
  });
  open.push(connection);
  return connection;
}

const withTwin = <T>(test: (url: string) => Promise<T>) => withLyingNode(honest.url, honestly, test);
const head = () => honest.client.getBlockNumber();
const getHost = (url: string) => new URL(url).host;
const isUsable = (connection: ChainConnection, url: string) =>
  connection.status().find(({ name }) => name === getHost(url))?.usable;

/** A server whose responses the test controls. */
async function startServer(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    respond(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

describe('three nodes of which one', () => {
  it('invents a consistent chain: it decides nothing, and is set apart', async () => {
    const liar = await startAnvil({ chainId: CHAIN_ID, args: ['--timestamp', '1000000000'] });
    try {
      await liar.test.mine({ blocks: 500 });
      await withTwin(async (twin) => {
        const connection = connect([liar.url, honest.url, twin]);
        expect(await connection.agreedHead()).toBe(await head());
        const truth = await honest.client.getBlock({ blockNumber: 30n });
        expect(await connection.agreedBlock(30n)).toEqual({
          number: 30n,
          hash: truth.hash,
          parentHash: truth.parentHash,
          timestampSeconds: truth.timestamp,
        });
        await waitUntil('the liar is set apart', async () => !isUsable(connection, liar.url));
        expect(await connection.client.getBlock({ blockNumber: 30n })).toMatchObject({ hash: truth.hash });
        expect(isUsable(connection, honest.url) && isUsable(connection, twin)).toBe(true);
      });
    } finally {
      await liar.stop();
    }
  });

  it('lags by 50 blocks: it delays nothing, is queried last, and is not set apart', async () => {
    const lagging: Lie = async (method, result, [block]) => {
      const newest = (await head()) - 50n;
      if (method === 'eth_blockNumber') return numberToHex(newest);
      return method === 'eth_getBlockByNumber' && hexToBigInt(block as Hex) > newest ? null : result;
    };
    await withTwin((twin) =>
      withLyingNode(honest.url, lagging, async (late) => {
        const connection = connect([late, honest.url, twin]);
        await waitUntil('all heads are known', async () => connection.status().every((node) => node.head !== null));
        expect(await connection.agreedHead()).toBe(await head());
        expect((await connection.agreedBlock(await head()))?.number).toBe(await head());
        expect(connection.usable().map(({ name }) => name)).toEqual([honest.url, twin, late].map(getHost));
        expect(connection.status()[0]).toMatchObject({ usable: true, lagBlocks: 50 });
      }),
    );
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    [
      'begins an answer that never ends',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",'),
    ],
  ])('%s: it delays no answer of the others, and is not queried again', async (_, respond) => {
    let asked = 0;
    const hanging = await startServer((response) => {
      asked++;
      respond(response);
    });
    await withTwin(async (twin) => {
      const connection = connect([hanging, honest.url, twin]);
      expect(await milliseconds(() => connection.agreedHead())).toBeLessThan(TIMEOUT_MS);
      expect(await milliseconds(() => connection.agreedBlock(1n))).toBeLessThan(TIMEOUT_MS);
      await waitUntil('it has cost its timeout', async () => !isUsable(connection, hanging));
      const before = asked;
      expect(await milliseconds(() => connection.client.getBlockNumber())).toBeLessThan(TIMEOUT_MS);
      expect(asked).toBe(before);
    });
  });

  it('begins to hang: the next node answers instead, long before the timeout', async () => {
    let hangs = false;
    const hanging: Lie = async (_, result) => (hangs ? new Promise(() => undefined) : result);
    await withTwin((twin) =>
      withLyingNode(honest.url, hanging, async (first) => {
        const connection = connect([first, honest.url, twin], { timeoutMs: 600_000 });
        await waitUntil('it is the best node', async () => connection.usable()[0]?.name === getHost(first));
        await connection.client.getBlockNumber();
        hangs = true;
        const ofOne = [
          connection.client.getBlock({ blockNumber: 1n }),
          proveBlocks(connection, { from: 1n, to: 3n, watch: { contracts: [], topics: [] } }),
        ] as const;
        expect((await ofOne[0]).number).toBe(1n);
        expect((await ofOne[1]).map(({ number }) => number)).toEqual([1n, 2n, 3n]);
        expect(connection.usable().map(({ name }) => name)).toEqual([honest.url, twin, first].map(getHost));
      }),
    );
  });

  it('is of another chain: only the others are used, and it receives only requests for its chain id', async () => {
    const methods = new Set<string>();
    const spy: Lie = (method, result) => {
      methods.add(method);
      return method === 'eth_chainId' ? '0x1' : result;
    };
    await withTwin((twin) =>
      withLyingNode(honest.url, spy, async (foreign) => {
        const connection = connect([foreign, honest.url, twin]);
        await connection.ready();
        expect(await connection.client.getBlockNumber()).toBe(await head());
        await waitUntil('it is known', async () => !isUsable(connection, foreign));
        expect(connection.status()[0]?.reason).toContain(`${getHost(foreign)} is a node of chain 1`);
        expect([...methods]).toEqual(['eth_chainId']);
      }),
    );
  });

  it('invents the state of a contract: agree returns the answer of the others', async () => {
    const rich: Lie = (method, result) => (method === 'eth_getBalance' ? numberToHex(10n ** 30n) : result);
    const address = '0x00000000000000000000000000000000000000aa';
    await withTwin((twin) =>
      withLyingNode(honest.url, rich, async (liar) => {
        const connection = connect([liar, honest.url, twin]);
        const blockNumber = await connection.agreedHead();
        expect(await connection.agree((client) => client.getBalance({ address, blockNumber }))).toBe(0n);
        const two = connect([liar, honest.url]);
        await expect(two.agree((client) => client.getBalance({ address }))).rejects.toThrow(QuorumError);
      }),
    );
  });
});

describe('the start', () => {
  const nothing = 'http://127.0.0.1:9/v2/secret-key';

  it('succeeds with one of two nodes down if one is enough', async () => {
    const connection = connect([nothing, honest.url], { quorum: 1 });
    await connection.ready();
    expect(await connection.agreedHead()).toBe(await head());
    expect(await connection.client.getBlockNumber()).toBe(await head());
  });

  it('waits for a quorum; the error names the unavailable node without the key in its URL', async () => {
    const connection = connect([nothing, honest.url]);
    const failure: unknown = await connection.agreedHead().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(QuorumError);
    expect((failure as Error).message).toContain('127.0.0.1:9');
    expect((failure as Error).message).not.toContain('secret-key');
    await expect(connection.ping()).rejects.toThrow(QuorumError);
    expect(
      await Promise.race([connection.ready().then(() => 'ready'), connection.agreedHead().catch(() => 'away')]),
    ).toBe('away');
  });

  it('fails if all nodes are of another chain, and names one', async () => {
    const connection = connect([honest.url], { chainId: 1, quorum: 1 });
    await expect(connection.ready()).rejects.toThrow(WrongChainError);
    await expect(connection.ready()).rejects.toThrow(getHost(honest.url));
  });

  it('uses a node that becomes available later', async () => {
    const port = await withTwin(async (url) => Number(new URL(url).port));
    const connection = connect([`http://127.0.0.1:${port}`, honest.url]);
    await expect(connection.agreedHead()).rejects.toThrow(QuorumError);
    const late = await startAnvil({ chainId: CHAIN_ID, port });
    try {
      await connection.ready();
      expect(await connection.agreedHead()).toBe(0n);
    } finally {
      await late.stop();
    }
  });
});

describe('an answer that is too large', () => {
  it('fails the request, and leaves the node usable', async () => {
    const large: Lie = (method, result) => (method === 'eth_getBlockReceipts' ? 'x'.repeat(11 * 1024 * 1024) : result);
    await withLyingNode(honest.url, large, async (url) => {
      const connection = connect([url], { quorum: 1, timeoutMs: 10_000 });
      const receipts = connection.client.request({ method: 'eth_getBlockReceipts', params: ['0x1'] } as never);
      await expect(receipts).rejects.toThrow(/size/i);
      expect(await connection.client.getBlockNumber()).toBe(await head());
    });
  });
});

describe('new heads by WebSocket', () => {
  it('call the listener until it is removed', async () => {
    const connection = connect([honest.url], { quorum: 1, headUrls: [honest.wsUrl] });
    let heads = 0;
    const remove = connection.onHead(() => heads++);
    await waitUntil('a head is announced', async () => {
      await honest.test.mine({ blocks: 1 });
      return heads > 0;
    });
    remove();
    const before = heads;
    await honest.test.mine({ blocks: 2 });
    await connection.agreedHead();
    expect(heads).toBe(before);
  });

  it('resume after a broken connection; other messages do not call the listener', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => server.once('listening', resolve));
    let connections = 0;
    server.on('connection', (socket) => {
      if (++connections === 1) return socket.terminate();
      socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
      socket.send('nonsense');
      return socket.on('message', () => socket.send('{"jsonrpc":"2.0","method":"eth_subscription","params":{}}'));
    });
    try {
      const { port } = server.address() as AddressInfo;
      const connection = connect([honest.url], { quorum: 1, headUrls: [`ws://127.0.0.1:${port}`] });
      let heads = 0;
      connection.onHead(() => heads++);
      await waitUntil('a head is announced', async () => heads > 0);
      expect({ heads, connections }).toEqual({ heads: 1, connections: 2 });
    } finally {
      for (const socket of server.clients) socket.terminate();
      server.close();
    }
  });
});
