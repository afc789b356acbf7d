import { afterEach, describe, expect, it } from '@jest/globals';
import { custom, defineChain } from 'viem';
import { CHAIN_ID, ScriptedNode } from '../../test/scripted-node.js';
import { QuorumError, WrongChainError } from '../rpc/chain-error.js';
import type { NodeEvent } from './chain-connection.js';
import { NodePool } from './node-pool.js';

const CONFIRMATIONS = 3;

const pools: NodePool[] = [];
afterEach(() => pools.splice(0).forEach((pool) => pool.close()));

function makePool(scripts: ScriptedNode[], quorum = 2) {
  const clock = { now: 0 };
  const events: NodeEvent[] = [];
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'ethereum',
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  const now = () => clock.now;
  const every = () => () => undefined;
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  const report = (event: NodeEvent) => void events.push(event);
  const nodes = scripts.map((script, index) => ({ name: 'abcde'[index] as string, transport: custom(script) }));
  const settings = { clock: { now, every, sleep }, headUrls: [], confirmations: CONFIRMATIONS };
  const pool = new NodePool({ chain, report, ...settings, nodes, quorum });
  pools.push(pool);
  const pass = async (milliseconds: number) => {
    clock.now += milliseconds;
    pool.tick();
    await settled();
  };
  return { pool, events, pass };
}

/** Lets everything happen that waits for no timer. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const three = (): [ScriptedNode, ScriptedNode, ScriptedNode] => [
  new ScriptedNode(),
  new ScriptedNode(),
  new ScriptedNode(),
];
const usable = (pool: NodePool) => pool.usable().map(({ name }) => name);

describe('the start of a pool', () => {
  it('is ready when a quorum answers with the right chain id, and uses the others when they come', async () => {
    const [a, b, c] = three();
    c.mode = 'down';
    const { pool, pass } = makePool([a, b, c]);
    await pool.ready();
    expect(await pool.agreedHead()).toBe(100n);
    await settled();
    expect(usable(pool)).toEqual(['a', 'b']);
    c.mode = 'up';
    await pass(1_000);
    expect(usable(pool)).toEqual(['a', 'b', 'c']);
  });

  it('names a node of another chain, never uses it, and starts with the others', async () => {
    const [a, b, c] = three();
    a.chainId = 1;
    const { pool, events, pass } = makePool([a, b, c]);
    await pool.ready();
    await pool.client.getBlockNumber();
    await pass(60_000);
    expect(usable(pool)).toEqual(['b', 'c']);
    expect(new Set(a.asked)).toEqual(new Set(['eth_chainId']));
    expect(events).toEqual([
      expect.objectContaining({
        level: 'error',
        node: 'a',
        message: expect.stringContaining('a is a node of chain 1'),
      }),
    ]);
  });

  it('fails when nodes of another chain leave no quorum', async () => {
    const [a, b, c] = three();
    a.chainId = 1;
    b.chainId = 1;
    await expect(makePool([a, b, c]).pool.ready()).rejects.toThrow(WrongChainError);
  });

  it.each([0, 4, 1.5])('refuses a quorum of %d of three nodes', (quorum) => {
    expect(() => makePool(three(), quorum)).toThrow(RangeError);
  });
});

describe('a node that fails', () => {
  it('is asked no more until its pause is over, and then once', async () => {
    const [a, b, c] = three();
    const { pool, events, pass } = makePool([a, b, c]);
    await pool.ready();
    a.mode = 'down';
    expect(await pool.client.getBlockNumber()).toBe(100n);
    const asked = a.asked.length;
    for (let call = 0; call < 10; call++) await pool.client.getGasPrice().catch(() => undefined);
    expect(a.asked.length).toBe(asked);
    await pass(1_000);
    expect(a.asked.slice(asked)).toEqual(['eth_chainId', 'eth_chainId']);
    a.mode = 'up';
    await pass(2_000);
    expect(usable(pool)).toEqual(['a', 'b', 'c']);
    expect(events.map(({ node, message }) => `${node} ${message}`)).toEqual([
      'a does not answer: refused',
      'a answers again',
    ]);
  });

  it('delays no answer that the others gave while it hangs', async () => {
    const [a, b, c] = three();
    const { pool } = makePool([a, b, c]);
    await pool.ready();
    a.mode = 'hangs';
    expect(await pool.agreedHead()).toBe(100n);
    expect(await pool.agree((client) => client.getBlockNumber({ cacheTime: 0 }))).toBe(100n);
    expect((await pool.agreedBlock(90n))?.timestampSeconds).toBe(1_090n);
  });

  it('is replaced in a pending read within two seconds while it hangs, and asked last until it answers', async () => {
    const [a, b, c] = three();
    const { pool, pass } = makePool([a, b, c]);
    await pool.ready();
    a.mode = 'hangs';
    const answers: unknown[] = [];
    void pool.client.getBlockNumber().then((answer) => answers.push(answer));
    void pool.ask((client) => client.getChainId()).then((answer) => answers.push(answer));
    await pass(1_000);
    expect(answers).toEqual([100n, CHAIN_ID]);
    expect(usable(pool)).toEqual(['b', 'c', 'a']);
    a.goOn();
    await settled();
    expect(usable(pool)).toEqual(['a', 'b', 'c']);
  });

  it('is asked again immediately while too few others remain, and status names its failure', async () => {
    const [a] = three();
    const { pool } = makePool([a], 1);
    await pool.ready();
    a.mode = 'down';
    await expect(pool.agreedHead()).rejects.toThrow(
      'Too few nodes of ethereum answer, 0 of the 1 that must agree: a: failed (HTTP request failed.)',
    );
    await expect(pool.client.getChainId()).rejects.toThrow(/refused/);
    expect(pool.status()).toMatchObject([{ usable: false, reason: 'it failed: refused' }]);
    a.mode = 'up';
    expect(await pool.agreedHead()).toBe(100n);
    expect(await pool.client.getChainId()).toBe(CHAIN_ID);
  });

  it('is set apart again when enough others answer', async () => {
    const [a, b, c] = three();
    const { pool, pass } = makePool([a, b, c]);
    await pool.ready();
    await settled();
    for (const node of [a, b]) node.mode = 'down';
    await expect(pool.agreedHead()).rejects.toThrow(/^Too few nodes of ethereum answer, 1 of the 2/);
    b.mode = 'up';
    expect(await pool.agreedHead()).toBe(100n);
    await pass(1_000);
    expect(usable(pool)).toEqual(['b', 'c']);
  });

  it('leaves no answer when too few others remain, and the error names every reason', async () => {
    const [a, b] = three();
    const { pool } = makePool([a, b]);
    await pool.ready();
    a.mode = 'down';
    await expect(pool.agreedHead()).rejects.toThrow(QuorumError);
    await expect(pool.agree((client) => client.getBlockNumber())).rejects.toThrow(/a: failed \(HTTP/);
    await expect(pool.agreedBlock(1n)).rejects.not.toThrow(/key/);
    expect(await pool.client.getBlockNumber()).toBe(100n);
  });
});

describe('a node that limits this process', () => {
  it('is left alone for a pause, also without another one', async () => {
    const [a] = three();
    const { pool } = makePool([a], 1);
    await pool.ready();
    a.mode = 'refuses';
    await expect(pool.client.getChainId()).rejects.toThrow('429');
    a.mode = 'up';
    const asked = a.asked.length;
    await expect(pool.client.getChainId()).rejects.toThrow('it failed: it limits the requests');
    expect(a.asked).toHaveLength(asked);
  });

  it.each(['limits', 'refuses'] as const)(
    'is counted, and reported once a minute with the remedy: it %s',
    async (mode) => {
      const [a, b] = three();
      const { pool, events, pass } = makePool([a, b], 1);
      await pool.ready();
      a.mode = mode;
      const reports = () => events.filter(({ message }) => message.includes('limits the requests of this process'));
      for (let second = 0; second < 59; second++) {
        await pool
          .usable()[0]
          ?.client.getGasPrice()
          .catch(() => undefined);
        await pass(1_000);
      }
      const [first] = pool.status();
      expect(first?.throttled).toBeGreaterThan(5);
      expect(pool.status()[1]?.throttled).toBe(0);
      expect(reports()).toEqual([
        expect.objectContaining({
          level: 'warn',
          node: 'a',
          message: expect.stringMatching(/give it a key in the address/),
        }),
      ]);
      expect(events.some(({ message }) => message.includes('does not answer'))).toBe(false);
      await pass(5_000);
      await pool
        .usable()[0]
        ?.client.getGasPrice()
        .catch(() => undefined);
      expect(reports()).toHaveLength(2);
    },
  );
});

describe('the head', () => {
  it('is one that a quorum has reached: neither invented nor held up by a node that lags', async () => {
    const [a, b, c] = three();
    a.head = 9_999n;
    c.head = 50n;
    const { pool } = makePool([a, b, c]);
    await pool.ready();
    await settled();
    expect(await pool.agreedHead()).toBe(100n);
    expect(pool.status().map(({ lagBlocks }) => lagBlocks)).toEqual([0, 0, 50]);
    expect(usable(pool)).toEqual(['a', 'b', 'c']);
  });

  it('puts nodes that lag last', async () => {
    const [a, b, c] = three();
    a.head = 50n;
    const { pool } = makePool([a, b, c]);
    await pool.ready();
    await settled();
    expect(usable(pool)).toEqual(['b', 'c', 'a']);
  });
});

describe('the age of the head', () => {
  it('counts from its arrival by the own clock, and grows while no quorum has another block', async () => {
    const [a, b, c] = three();
    const { pool, pass } = makePool([a, b, c]);
    await pool.ready();
    await pass(1_000);
    for (const node of [a, b, c]) node.head = 101n;
    await pass(5_000);
    await pass(1_000);
    // The time of block 101 is 1,101 s. From now on neither it nor a wrong clock of this machine counts.
    for (const nowMs of [0, 9_000_000]) expect(await pool.headAgeMs(nowMs)).toBe(0);
    a.head = 9_999n;
    b.head = 90n;
    await pass(60_000);
    await pass(1_000);
    expect(await pool.headAgeMs(9_000_000)).toBe(61_000);
    for (const node of [b, c]) node.mode = 'down';
    await pass(60_000);
    expect(await pool.headAgeMs(0)).toBe(121_000);
  });

  it('of the first head since the start is also that of its block, which may be old already', async () => {
    const [a, b, c] = three();
    const { pool, pass } = makePool([a, b, c]);
    await pool.ready();
    await pass(1_000);
    expect(await pool.headAgeMs(1_430_000)).toBe(330_000);
    // A chain whose clock is ahead shows nothing by it.
    expect(await pool.headAgeMs(1_000_000)).toBe(0);
    await pass(7_000);
    expect(await pool.headAgeMs(1_000_000)).toBe(7_000);
  });
});

describe('a node with other blocks', () => {
  it('decides nothing, and is set apart when its block is as deep as the others call final', async () => {
    const [a, b, c] = three();
    a.branch = 'invented';
    a.forkedAt = 99n;
    const { pool, events, pass } = makePool([a, b, c]);
    await pool.ready();
    const agreed = await pool.agreedBlock(99n);
    expect(agreed?.hash).toBe((await pool.usable()[1]?.client.getBlock({ blockNumber: 99n }))?.hash);
    await settled();
    // Block 99 has two confirmations of three: it may be an honest reorg.
    expect(usable(pool)).toEqual(['a', 'b', 'c']);
    for (const node of [a, b, c]) node.head = 101n;
    // No operation asks for block 99 again: the pool finds it alone.
    await pass(5_000);
    await pass(1_000);
    expect(usable(pool)).toEqual(['b', 'c']);
    expect(events).toEqual([
      expect.objectContaining({ level: 'error', node: 'a', message: expect.stringMatching(/^set apart: .*block 99/) }),
    ]);
    expect(pool.status()[0]).toMatchObject({
      name: 'a',
      usable: false,
      reason: expect.stringContaining(`${agreed?.hash}`),
    });
  });

  it('is used again when it has the block of the others', async () => {
    const [a, b, c] = three();
    a.branch = 'invented';
    const { pool, pass } = makePool([a, b, c]);
    await pool.ready();
    await pool.agreedBlock(50n);
    await settled();
    expect(usable(pool)).toEqual(['b', 'c']);
    a.branch = '';
    await pass(60_000);
    expect(usable(pool)).toEqual(['a', 'b', 'c']);
  });

  it('is not set apart because it lacks a block', async () => {
    const [a, b, c] = three();
    a.head = 10n;
    const { pool } = makePool([a, b, c]);
    await pool.ready();
    await pool.agreedBlock(50n);
    await settled();
    expect(usable(pool).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('is not set apart on the word of one other node', async () => {
    const [a, b] = three();
    a.branch = 'one';
    const { pool } = makePool([a, b], 1);
    await pool.ready();
    await pool.agreedBlock(50n);
    await settled();
    expect(usable(pool)).toEqual(['a', 'b']);
  });

  it('stops a pool of two, which reports it once', async () => {
    const [a, b] = three();
    a.branch = 'one';
    const { pool, events, pass } = makePool([a, b]);
    await pool.ready();
    await expect(pool.agreedBlock(50n)).rejects.toThrow(QuorumError);
    await pass(1_000);
    for (const node of [a, b]) node.head = 105n;
    await pass(5_000);
    await pass(1_000);
    expect(events.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a transaction', () => {
  it('is sent to every node, so that none can suppress it', async () => {
    const [a, b, c] = three();
    const { pool } = makePool([a, b, c]);
    await pool.ready();
    await pool.client.sendRawTransaction({ serializedTransaction: '0x01' });
    await settled();
    for (const node of [a, b, c]) expect(node.asked).toContain('eth_sendRawTransaction');
  });
});
