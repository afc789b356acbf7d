import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keccak256, parseEther, parseTransaction, toHex, type Address, type Hex } from 'viem';
import type { Header } from '../src/blocks/header.js';
import { BadProofError } from '../src/blocks/trie.js';
import type { Dissent } from '../src/nodes/quorum-reader.js';
import { BALANCE_UNITS, BRIDGE_SLOTS, readNumber, toMappingSlot, toSlot } from '../src/state/storage-layout.js';
import { readAccount, verifyAccountProof } from '../src/state/storage-proof.js';
import {
  judgeDelivery,
  MemoryRecord,
  readHead,
  type ChainOptions,
  type Delivery,
  type Side,
  type TransferOrigin,
} from '../src/index.js';
import { ALICE, RELAYER, startBridge, type Lie, type TestBridge } from './bridge.js';
import { judge } from './example.js';
import {
  computeTransferId,
  deliver,
  deposit,
  intentDelivery,
  pay,
  payAndSweep,
  signIntent,
  withdraw,
} from './transfers.js';

const AMOUNT = parseEther('6000');
let bridge: TestBridge;
/** Honest deliveries, and forged ones that the lies below would make true. */
let honest: Delivery[];
let forged: Delivery[];

beforeAll(async () => {
  bridge = await startBridge();
  await deliver(bridge, await deposit(bridge, 'USDC', 5_000_000_000n));
  const mint = await deposit(bridge, 'USDC', 7_000_000n);
  const burn = await withdraw(bridge, 'USDC', 1_000_000_000n);
  const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
  const intent = intentDelivery(bridge, signed, await payAndSweep(bridge, AMOUNT), parseEther('1000'));
  const paid = await deposit(bridge, 'USDC', 3_000_000n);
  await deliver(bridge, paid);
  honest = [mint, burn, intent];
  forged = [
    { ...mint, payment: { ...mint.payment, amount: 8_000_000n } },
    { ...burn, payment: { ...burn.payment, amount: burn.payment.amount + burn.payment.fee, fee: 0n } },
    { ...intent, fee: 1n },
    paid,
  ];
});

afterAll(async () => bridge?.stop());

/** Replaces every string in an answer. */
function replaceText(answer: unknown, replace: (text: string) => string): unknown {
  return JSON.parse(
    JSON.stringify(answer, (_, value: unknown) => (typeof value === 'string' ? replace(value) : value)),
  );
}

const toWord = (value: bigint) => value.toString(16).padStart(64, '0');
const LIES: Readonly<Record<string, Lie>> = {
  'another amount in every log': (_, result) =>
    replaceText(result, (text) => text.replaceAll(toWord(7_000_000n), toWord(8_000_000n))),
  'logs of no delivery': (method, result) => (method === 'eth_getLogs' ? [] : result),
  'no use of any number': (method, result) => (method === 'eth_call' ? `0x${toWord(0n)}` : result),
  'the use of every number': (method, result) => (method === 'eth_call' ? `0x${toWord(1n)}` : result),
  'another head': (method, result) => (method === 'eth_blockNumber' ? '0xffffff' : result),
  'an old head': (method, result) => (method === 'eth_blockNumber' ? '0x1' : result),
  'another hash of every block': (_, result) => withField(result, 'hash', `0x${'11'.repeat(32)}`),
  'another receipts root': (_, result) => withField(result, 'receiptsRoot', `0x${'22'.repeat(32)}`),
  'another time of every block': (_, result) => withField(result, 'timestamp', '0x1'),
  'no block': (method, result) => (method.startsWith('eth_getBlock') ? null : result),
  'no receipts': (method, result) => (method.includes('Receipt') ? [] : result),
  nonsense: () => ({ lie: [1, 'two', null] }),
  'a failure': () => {
    throw new Error('missing trie node');
  },
};

function withField(result: unknown, name: string, value: string): unknown {
  return typeof result === 'object' && result !== null && name in result ? { ...result, [name]: value } : result;
}

/** The verifier's chains, with the first nodes of both lying. */
function chains(lies: readonly (Lie | null)[]): Readonly<Record<Side, ChainOptions>> {
  const chain = (side: Side) => ({ nodes: bridge.nodes(side, lies), quorum: 2, confirmations: 1, timeoutMs: 2_000 });
  return { ethereum: chain('ethereum'), partner: chain('partner') };
}

describe('nodes that lie', () => {
  it.each(Object.entries(LIES))('do not change the verdict when they are fewer than a quorum: %s', async (_, lie) => {
    const verifier = bridge.verifier(chains([lie]));
    for (const item of honest) expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'SIGN' });
    for (const item of forged) expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'REFUSE' });
  });

  it.each(Object.entries(LIES))('cannot cause a signature beside an unavailable node: %s', async (_, lie) => {
    const verifier = bridge.verifier(chains([lie, null]));
    for (const item of forged) expect((await judgeDelivery(item, verifier)).kind).not.toBe('SIGN');
  });
});

it('a lagging node does not help one that hides a delivery', async () => {
  const hide: Lie = (method, result) => (method === 'eth_getLogs' ? [] : result);
  const behind: Lie = (method, result, [first]) => {
    if (method === 'eth_blockNumber') return '0x1';
    if (method === 'eth_getBlockByNumber' && BigInt(String(first)) > 1n) return null;
    return hide(method, result, []);
  };
  const verifier = bridge.verifier(chains([hide, behind]));
  const [paid] = forged.slice(-1);
  expect(await judgeDelivery(paid!, verifier)).toMatchObject({ kind: 'NOT_YET' });
});

it('a node cannot change the verdict by showing the sweep of another transfer', async () => {
  const [, , swept] = honest;
  const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
  const origin = await pay(bridge, ALICE, AMOUNT);
  const item = intentDelivery(bridge, signed, origin, parseEther('1000'));
  const [from, to] = [computeTransferId(bridge, swept!.origin as TransferOrigin), computeTransferId(bridge, origin)];
  const { blockNumber } = origin;
  const [log] = await bridge.chains.partner.client.request({
    method: 'eth_getLogs',
    params: [{ topics: [null, from], fromBlock: '0x0' }],
  });
  const invented = { ...log, topics: [log!.topics[0], to, log!.topics[2]], blockNumber: toHex(blockNumber) };
  const lie: Lie = (method, result, params) =>
    method === 'eth_getLogs' && JSON.stringify(params).includes(to) ? [invented] : result;
  expect(await judgeDelivery(item, bridge.verifier(chains([lie])))).toMatchObject({
    kind: 'NOT_YET',
    why: expect.stringContaining('is not in the float'),
  });
  // A quorum's lie is believed.
  expect(await judgeDelivery(item, bridge.verifier(chains([lie, lie])))).toMatchObject({ kind: 'SIGN' });
});

it('a node cannot change the verdict by putting a signed transaction into a block', async () => {
  const [, , owed] = honest;
  const { getWallet } = bridge.chains.partner;
  const amount = 2n * AMOUNT;
  const fees = { gas: 21_000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, nonce: 9_999 };
  const raw = await getWallet(ALICE).signTransaction({ to: RELAYER.address, value: amount, ...fees });
  const { r, s, yParity } = parseTransaction(raw);
  const invented = {
    type: '0x2',
    chainId: toHex(8_901),
    nonce: toHex(fees.nonce),
    maxPriorityFeePerGas: '0x1',
    maxFeePerGas: '0x1',
    gas: toHex(fees.gas),
    to: RELAYER.address,
    value: toHex(amount),
    input: '0x',
    accessList: [],
    yParity: toHex(yParity ?? 0),
    r,
    s,
  };
  const signed = await signIntent(bridge, ALICE, { amount });
  const origin = { ...owed!.origin, transactionHash: keccak256(raw), callIndex: 0 };
  const item = intentDelivery(bridge, signed, origin, parseEther('1000'));
  const lie: Lie = (method, result) =>
    method === 'eth_getBlockByHash' ? { ...(result as object), transactions: [invented] } : result;
  const verdict = await judgeDelivery(item, bridge.verifier(chains([lie])));
  expect(verdict).toMatchObject({ kind: 'REFUSE', reason: 'ORIGIN_NOT_FOUND' });
});

describe('the storage of the contracts', () => {
  const UNUSED = toMappingSlot(BRIDGE_SLOTS.paid, toSlot(7n));
  const toSlots = (side: Side): readonly Hex[] => [
    toSlot(BRIDGE_SLOTS.state),
    toMappingSlot(BRIDGE_SLOTS.delivered, 0n),
    toMappingSlot(BRIDGE_SLOTS.tokens, bridge.settings.assets[1]!.tokens[side]),
    UNUSED,
  ];
  const read = async (side: Side, lies: readonly (Lie | null)[], dissents: string[] = []) => {
    const onDissent = (node: string, kind: Dissent) => void dissents.push(`${node} ${kind}`);
    const options = chains(lies);
    const verifier = bridge.verifier({ ...options, [side]: { ...options[side], onDissent } });
    const account = { address: bridge.settings[side].contract, slots: toSlots(side), unit: BALANCE_UNITS[side] };
    return readAccount(verifier.readers[side], await readHead(verifier, side), account);
  };
  const noProof: Lie = (method, result) => {
    if (method === 'eth_getProof') throw new Error('the method eth_getProof does not exist');
    return result;
  };

  it.each(['ethereum', 'partner'] as const)('is proven by one node of %s, or told by a quorum', async (side) => {
    const proven = await read(side, []);
    expect(proven).toMatchObject({ by: 'PROOF' });
    expect(readNumber(proven.values[0]!)).toBe(side === 'ethereum' ? 3n : 1n);
    expect(proven.values.slice(1).map((value) => value > 0n)).toEqual([side === 'partner', true, false]);
    const address = bridge.settings[side].contract;
    expect(proven.balance).toBe(await bridge.chains[side].client.getBalance({ address }));
    expect(await read(side, [noProof, noProof, noProof])).toEqual({ ...proven, by: 'QUORUM' });
  });

  it('is proven by another node when the first one lies, which is named', async () => {
    const lie: Lie = (method, result) =>
      method === 'eth_getProof' ? { ...(result as object), accountProof: ['0x80'] } : result;
    const dissents: string[] = [];
    expect(await read('partner', [lie], dissents)).toMatchObject({ by: 'PROOF' });
    expect(dissents).toEqual(['partner-0 DIFFERS']);
  });

  it.each(['ethereum', 'partner'] as const)('of %s has no proof with a change', async (side) => {
    const verifier = bridge.verifier();
    const header = await readHead(verifier, side);
    const address = bridge.settings[side].contract;
    const slots = toSlots(side);
    const verify = (proof: unknown, over: Partial<Header> = {}, of: Address = address, at = slots) =>
      verifyAccountProof({ ...header, ...over }.stateRoot, of, at, proof, 1n);
    const params = [address, slots, { blockHash: header.hash }];
    const text = JSON.stringify(await bridge.chains[side].client.request({ method: 'eth_getProof', params } as never));
    const { values } = verify(JSON.parse(text));
    // A digit of every node: a changed node no longer has its hash.
    const proof = JSON.parse(text) as { accountProof: Hex[]; storageProof: { value: Hex; proof: Hex[] }[] };
    const lists = [proof.accountProof, ...proof.storageProof.map((one) => one.proof)];
    for (const list of lists)
      for (const [index, node] of list.entries()) {
        const place = 2 + ((index * 7) % (node.length - 2));
        const digit = node[place] === '0' ? '1' : '0';
        list[index] = `${node.slice(0, place)}${digit}${node.slice(place + 1)}` as Hex;
        expect(() => verify(proof)).toThrow(BadProofError);
        list[index] = node;
      }
    // The values beside the proof are not used.
    expect(
      verify({ ...proof, balance: '0x1', storageProof: proof.storageProof.map((one) => ({ ...one, value: '0x9' })) }),
    ).toMatchObject({ values });
    expect(() => verify(proof, { stateRoot: header.receiptsRoot })).toThrow(BadProofError);
    expect(() => verify(proof, {}, address, slots.toReversed())).toThrow(BadProofError);
    expect(() => verify({ ...proof, storageProof: proof.storageProof.slice(1) })).toThrow('other slots');
    expect(() => verify({ ...proof, accountProof: [] })).toThrow('lacks the node');
    expect(() => verify(null)).toThrow('it has no proof');
  });
});

describe('unavailable nodes', () => {
  it('do no harm while a quorum answers', async () => {
    const verifier = bridge.verifier(chains([null]));
    for (const item of honest) expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'SIGN' });
  });

  it('count as disagreeing', async () => {
    const verifier = bridge.verifier({ ...chains([null, null]), now: () => 1_000 });
    for (const item of honest)
      expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'NOT_YET', until: { time: 1_005 } });
  });

  it('count as disagreeing when they never answer', async () => {
    const hang: Lie = async () => new Promise(() => undefined);
    const quick = (side: Side) => ({
      nodes: bridge.nodes(side, [hang, hang]),
      quorum: 2,
      confirmations: 1,
      timeoutMs: 50,
    });
    const verifier = bridge.verifier({ ethereum: quick('ethereum'), partner: quick('partner') });
    expect(await judgeDelivery(honest[0]!, verifier)).toMatchObject({ kind: 'NOT_YET' });
  });

  it('may have dropped the state', async () => {
    const gone: Lie = (method, result) => {
      if (method === 'eth_call' || method === 'eth_getCode') throw new Error('missing trie node abc (path )');
      return result;
    };
    const verdict = await judgeDelivery(honest[0]!, bridge.verifier(chains([gone, gone])));
    expect(verdict).toMatchObject({ kind: 'NOT_YET', until: 'STATE_GONE' });
  });
});

describe('time', () => {
  it('must first make the origin final', async () => {
    const deep = (side: Side) => ({ nodes: bridge.nodes(side), quorum: 2, confirmations: 500 });
    const verifier = bridge.verifier({ ethereum: deep('ethereum'), partner: { ...deep('partner'), confirmations: 1 } });
    const [mint] = honest;
    const block = mint?.origin.blockNumber;
    expect(await judgeDelivery(mint!, verifier)).toMatchObject({
      kind: 'NOT_YET',
      until: { chain: 'ethereum', block },
    });
  });

  it('must end the hold of a withdrawal, but not of a deposit', async () => {
    const [mint, burn, intent] = honest;
    const { timestamp } = await bridge.chains.partner.client.getBlock({ blockNumber: burn!.origin.blockNumber });
    const until = { time: Number(timestamp) + 3_600 };
    const settings = { ...bridge.settings, holdSeconds: 3_600 };
    for (const isLocal of [false, true]) {
      const verifier = bridge.verifier({ settings: { ...settings, isLocal }, now: () => Number(timestamp) });
      expect(await judgeDelivery(mint!, verifier)).toMatchObject({ kind: 'SIGN' });
      expect(await judgeDelivery(burn!, verifier)).toMatchObject({ kind: 'NOT_YET', until });
      expect(await judgeDelivery(intent!, verifier)).toMatchObject({ kind: 'NOT_YET' });
    }
  });

  it.each([
    ['a burn', 1],
    ['an intent', 2],
  ])('ends the hold of %s also by its own clock, and not while the block is in the future', async (_, index) => {
    const item = honest[index]!;
    const { timestamp } = await bridge.chains.partner.client.getBlock();
    const settings = { ...bridge.settings, holdSeconds: 10, isLocal: false };
    let now = Number(timestamp) - 40;
    const verifier = bridge.verifier({ settings, now: () => now });
    const look = async (over = {}) => judgeDelivery(item, { ...verifier, ...over });
    await bridge.travel(10);
    // The chain's clock is ahead.
    expect(await look()).toMatchObject({ kind: 'NOT_YET', why: expect.stringMatching(/hold/) });
    expect(await look({ settings: { ...settings, isLocal: true } })).toMatchObject({ kind: 'SIGN' });
    now += 10;
    expect(await look()).toMatchObject({ kind: 'SIGN' });
    await bridge.travel(120);
    expect(await look()).toMatchObject({ kind: 'NOT_YET', why: expect.stringMatching(/future/) });
    // Another process has no record of it.
    now += 3_600;
    expect(await look({ record: new MemoryRecord() })).toMatchObject({ kind: 'NOT_YET', until: { time: now + 10 } });
  });
});

describe('the example of the README', () => {
  it('runs', async () => {
    const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(text).toContain(readFileSync(new URL('example.ts', import.meta.url), 'utf8').trimEnd());
    const urls = (side: Side) => Array.from({ length: 3 }, () => bridge.chains[side].url);
    const nodes = { ethereum: urls('ethereum'), partner: urls('partner') };
    // Fewer confirmations than the example's 12.
    expect(await judge(honest[0]!, bridge.settings, nodes)).toBe('ask again: The block of the origin is not final.');
  });
});

describe('a quorum', () => {
  it.each([0, 1, 4, 1.5])('of %d among 3 nodes is refused', (quorum) => {
    const ethereum = { nodes: bridge.nodes('ethereum'), quorum, confirmations: 1 };
    expect(() => bridge.verifier({ ethereum })).toThrow('quorum of ethereum must be more than half of its 3 nodes');
  });

  it('of nodes with equal names is refused', () => {
    const [node] = bridge.nodes('ethereum');
    const ethereum = { nodes: [node!, node!], quorum: 2, confirmations: 1 };
    expect(() => bridge.verifier({ ethereum })).toThrow('different names');
  });
});
