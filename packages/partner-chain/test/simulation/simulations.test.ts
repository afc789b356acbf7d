import { verifyMerkleProof } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bytesToHex, hexToBytes, pad, toHex, type Address, type Hex } from 'viem';
import { createCommon } from '../../src/evm/common.js';
import { PartnerEvm } from '../../src/evm/partner-evm.js';
import { keccak256 } from '../../src/keccak256.js';
import { createAccessList } from '../../src/simulation/access-list.js';
import type { CallRequest } from '../../src/simulation/call-request.js';
import type { BlockOverrides, StateOverrides } from '../../src/simulation/overrides.js';
import { traceBlockState, traceCallState } from '../../src/simulation/prestate.js';
import { simulateBlocks, type BlockCalls, type SimulatedCall } from '../../src/simulation/simulate-blocks.js';
import { contextAfter, estimateGas, simulate } from '../../src/simulation/simulate.js';
import { proveAccount } from '../../src/state/proof.js';
import { assemble, CONTRACTS, FORWARD, TRANSFER_TOPIC, words } from '../contracts.js';
import { ALICE, BOB, CHAIN_ID, EngineWorld, GWEI, makeAccount, UNIT, WEALTH, type Draft } from '../engine-world.js';

const NEW = makeAccount('new').address.toLowerCase() as Address;
/** Returns slot 0, then adds one to it. */
const COUNTER: Address = `0x${'c0'.repeat(20)}`;
/** Returns the number, time, base fee, coinbase, and the hash of the previous block. */
const ASKS_BLOCK: Address = `0x${'a5'.repeat(20)}`;
const code: Readonly<Record<Address, Hex>> = {
  ...CONTRACTS,
  [COUNTER]: assemble('0 SLOAD DUP1 0 MSTORE 1 ADD 0 SSTORE 32 0 RETURN'),
  [ASKS_BLOCK]: assemble(`
    NUMBER 0 MSTORE TIMESTAMP 32 MSTORE BASEFEE 64 MSTORE COINBASE 96 MSTORE
    1 NUMBER SUB BLOCKHASH 128 MSTORE 160 0 RETURN`),
};
/** Code of the maximum size. */
const LARGE_CODE: Hex = `0x${'00'.repeat(24_576)}`;
const PRECOMPILE: Address = `0x${'00'.repeat(19)}01`;
const alice = ALICE.address.toLowerCase() as Address;

let world: EngineWorld;
beforeEach(async () => {
  world = await EngineWorld.open({}, code);
});
afterEach(async () => world.close());

async function call(draft: Draft, stateOverrides: StateOverrides = {}, blockOverrides: BlockOverrides = {}) {
  const request = { ...world.request(ALICE.address, draft), stateOverrides, blockOverrides };
  const context = contextAfter(world.evm, world.reader, world.reader.block(world.head)!, request);
  return { ...(await simulate(world.evm, context, request)), context, request };
}

const toWords = (bytes: Uint8Array) =>
  (bytesToHex(bytes).slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
const block = (calls: readonly SimulatedCall[] = [], rest: Partial<BlockCalls> = {}): BlockCalls => ({
  blockOverrides: {},
  stateOverrides: {},
  calls,
  ...rest,
});
const from = (sender: Address, draft: Draft, nonce: bigint | null = null): SimulatedCall => ({
  ...world.request(sender, draft),
  nonce,
});

async function run(blocks: readonly BlockCalls[], options: { validation?: boolean; showsPayments?: boolean } = {}) {
  const evm =
    options.showsPayments === true
      ? new PartnerEvm(createCommon(CHAIN_ID, true), world.reader.state(0), () => undefined, world.evm.lazyAccountGas)
      : world.evm;
  const request = { blocks, validation: false, showsPayments: false, ...options };
  return simulateBlocks(evm, world.reader, world.reader.block(world.head)!, request);
}

describe('overrides of the state', () => {
  it('give an account balance, nonce, code and storage', async () => {
    const poor = makeAccount('poor').address;
    const request = { ...world.request(poor, { to: BOB.address, units: 5n }) };
    const overrides = { [poor]: { balance: 5n * UNIT } };
    const context = (stateOverrides: StateOverrides) =>
      contextAfter(world.evm, world.reader, world.reader.block(0)!, { stateOverrides });
    expect(await simulate(world.evm, context(overrides), request)).toMatchObject({ status: 1, gasUsed: 21_000n });
    await expect(simulate(world.evm, context({}), request)).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' });
    expect(await estimateGas(world.evm, context(overrides), request)).toBe(21_000n);

    const replaced = await call(
      { to: NEW },
      { [NEW]: { code: code[COUNTER]!, stateDiff: { [pad('0x0')]: pad('0x07') } } },
    );
    expect(toWords(replaced.returnValue)).toEqual([7n]);
    const created = await call({ to: null, data: '0x' }, { [alice]: { nonce: 9n } });
    const other = await call({ to: null, data: '0x' });
    expect(created.createdAddress?.toString()).not.toBe(other.createdAddress?.toString());
  });

  it('replace the whole storage by state, and single slots by stateDiff', async () => {
    await world.send(ALICE, { to: COUNTER });
    await world.send(ALICE, { to: COUNTER });
    const read = async (overrides: StateOverrides) => toWords((await call({ to: COUNTER }, overrides)).returnValue);
    expect(await read({})).toEqual([2n]);
    expect(await read({ [COUNTER]: { stateDiff: { [pad('0x01')]: pad('0x05') } } })).toEqual([2n]);
    expect(await read({ [COUNTER]: { state: { [pad('0x01')]: pad('0x05') } } })).toEqual([0n]);
    expect(await read({ [COUNTER]: { state: { [pad('0x0')]: pad('0x2a') } } })).toEqual([42n]);
  });

  it('leave nothing behind', async () => {
    await call({ to: COUNTER }, { [COUNTER]: { balance: 7n * UNIT } });
    expect(toWords((await call({ to: COUNTER })).returnValue)).toEqual([0n]);
    expect(world.balance(COUNTER)).toBe(0n);
  });

  it.each<[string, StateOverrides, string]>([
    ['a balance with a fraction of a unit', { [NEW]: { balance: 1n } }, 'DUST'],
    ['the code of a precompile', { [PRECOMPILE]: { code: '0x00' } }, 'INVALID_PARAMS'],
  ])('refuse %s', async (_, overrides, expected) => {
    await expect(call({ to: NEW }, overrides)).rejects.toMatchObject({ code: expected });
  });
});

describe('overrides of the block', () => {
  it('are visible to contracts', async () => {
    const { returnValue } = await call(
      { to: ASKS_BLOCK },
      {},
      {
        number: 77,
        time: 2_000_000_000,
        baseFeePerGas: 3n * UNIT,
        feeRecipient: NEW,
      },
    );
    expect(toWords(returnValue).slice(0, 4)).toEqual([77n, 2_000_000_000n, 3n, BigInt(NEW)]);
  });
});

describe('a price that no block accepts', () => {
  it.each<[string, Partial<CallRequest>]>([
    ['max fee per gas less than block base fee', { gasPrice: 1n }],
    ['max priority fee per gas higher than max fee per gas', { gasPrice: UNIT, maxPriorityFeePerGas: UNIT + 1n }],
    ['max priority fee per gas higher than max fee per gas', { maxPriorityFeePerGas: 1n }],
  ])('is refused: %s', async (message, price) => {
    const request = { ...world.request(ALICE.address, { to: BOB.address }), ...price };
    const refusal = { code: 'TRANSACTION_REJECTED', message: expect.stringContaining(message) };
    await expect(simulate(world.evm, world.context(), request)).rejects.toMatchObject(refusal);
    await expect(estimateGas(world.evm, world.context(), request)).rejects.toMatchObject(refusal);
  });
});

describe('simulated blocks', () => {
  it('follow each other, and the chain stays unchanged', async () => {
    const counting = from(ALICE.address, { to: COUNTER });
    const blocks = await run([block([counting, counting]), block([counting])]);
    expect(blocks.map(({ results }) => results.map(({ returnValue }) => toWords(returnValue)[0]))).toEqual([
      [0n, 1n],
      [2n],
    ]);
    expect(blocks.map(({ block: { header } }) => header.number)).toEqual([1, 2]);
    expect(blocks[1]!.block.header.parentHash).toEqual(blocks[0]!.block.hash);
    expect(world.head).toBe(0);
    expect(world.slot(COUNTER, 0n)).toBe(0n);
  });

  it('have the state root of the same transactions on the chain', async () => {
    const drafts: Draft[] = [
      { to: COUNTER },
      { to: NEW, units: 5n },
      { to: FORWARD, units: 3n, data: words(BOB.address) },
    ];
    const price = { gas: 1_000_000n, gasPrice: GWEI, maxPriorityFeePerGas: GWEI / 2n };
    const calls = drafts.map((draft) => ({ ...from(ALICE.address, draft), ...price }));
    const [simulated] = await run([block(calls)], { validation: true });
    for (const [nonce, draft] of drafts.entries()) world.submit(await world.sign(ALICE, { ...draft, nonce }));
    await world.mine();
    const receipts = world.reader.receipts(1);
    expect(simulated!.results.map(({ gasUsed }) => gasUsed)).toEqual(receipts.map(({ gasUsed }) => gasUsed));
    const { stateRoot, receiptsRoot, gasUsed } = world.reader.block(1)!.header;
    expect(simulated!.block.header).toMatchObject({ stateRoot, receiptsRoot, gasUsed });
  });

  it('fill a gap with empty blocks, whose hashes contracts read', async () => {
    const blocks = await run([
      block([], { blockOverrides: { number: 3 } }),
      block([from(ALICE.address, { to: ASKS_BLOCK })], { blockOverrides: { time: 1_900_000_000 } }),
    ]);
    expect(blocks.map(({ block: { header } }) => header.number)).toEqual([1, 2, 3, 4]);
    const seen = toWords(blocks[3]!.results[0]!.returnValue);
    expect(seen).toEqual([
      4n,
      1_900_000_000n,
      0n,
      BigInt(bytesToHex(world.reader.block(0)!.header.coinbase)),
      BigInt(bytesToHex(blocks[2]!.block.hash)),
    ]);
  });

  it('answer a failed call with its error, and continue', async () => {
    const [only] = await run([
      block([from(ALICE.address, { to: null, data: assemble('0 0 REVERT') }), from(ALICE.address, { to: COUNTER })]),
    ]);
    expect(only!.results).toMatchObject([
      { status: 0, error: 'revert' },
      { status: 1, error: null },
    ]);
  });

  it('apply the overrides of each block', async () => {
    const poor = makeAccount('poor').address;
    const blocks = await run([
      block([], {
        stateOverrides: { [poor]: { balance: 5n * UNIT }, [COUNTER]: { state: { [pad('0x0')]: pad('0x09') } } },
      }),
      block([from(poor, { to: BOB.address, units: 5n }), from(ALICE.address, { to: COUNTER })]),
    ]);
    expect(blocks[1]!.results.map(({ status }) => status)).toEqual([1, 1]);
    expect(toWords(blocks[1]!.results[1]!.returnValue)).toEqual([9n]);
  });

  it('show payments as logs, in wei and in order', async () => {
    const draft = { to: FORWARD, units: 3n, data: words(NEW) };
    const [only] = await run([block([from(ALICE.address, draft)])], { showsPayments: true });
    const logs = only!.results[0]!.logs.map(({ address, topics, data }) => [
      bytesToHex(address),
      ...topics.map((topic) => BigInt(bytesToHex(topic))),
      BigInt(bytesToHex(data)),
    ]);
    const coin = `0x${'ee'.repeat(20)}`;
    const topic = BigInt(TRANSFER_TOPIC);
    expect(logs).toEqual([
      [coin, topic, BigInt(alice), BigInt(FORWARD), 3n * UNIT],
      [coin, topic, BigInt(FORWARD), BigInt(NEW), 3n * UNIT],
    ]);
    const [plain] = await run([block([from(ALICE.address, draft)])]);
    expect(plain!.results[0]).toMatchObject({ logs: [], gasUsed: only!.results[0]!.gasUsed });
    expect(plain!.block.header.receiptsRoot).toEqual(only!.block.header.receiptsRoot);
  });

  it.each<[string, () => BlockCalls[], { validation?: boolean }]>([
    ['block numbers must be in order', () => [block([], { blockOverrides: { number: 0 } })], {}],
    ['block timestamps must be in order', () => [block([], { blockOverrides: { time: 5 } })], {}],
    ['too many blocks', () => [block([], { blockOverrides: { number: 257 } })], {}],
    ['block gas limit reached', () => [block([from(ALICE.address, { to: BOB.address, gas: 70_000_000n })])], {}],
    ['nonce too high', () => [block([from(ALICE.address, { to: BOB.address }, 5n)])], { validation: true }],
    ['max fee per gas less', () => [block([from(ALICE.address, { to: BOB.address })])], { validation: true }],
  ])('are refused: %s', async (message, blocks, options) => {
    const refusal = { code: 'INVALID_PARAMS', message: expect.stringContaining(message) };
    await expect(run(blocks(), options)).rejects.toMatchObject(refusal);
  });

  it('have 50 million gas in total', async () => {
    const endless = { ...from(ALICE.address, { to: null, data: assemble('again: @again JUMP') }), gas: 16_000_000n };
    await expect(run([block([endless, endless]), block([endless, endless])])).rejects.toMatchObject({
      message: expect.stringContaining('50000000 gas of a simulation'),
    });
  });
});

describe('an access list', () => {
  it('names the reads of a call, and the gas with the list', async () => {
    const request = world.request(ALICE.address, { to: FORWARD, data: words(COUNTER), gas: 200_000n });
    const { accessList, gasUsed, error } = await createAccessList(world.evm, world.context(), request);
    expect(error).toBeNull();
    expect(accessList).toEqual([{ address: COUNTER, storageKeys: [pad('0x0')] }]);
    expect((await simulate(world.evm, world.context(), { ...request, accessList })).gasUsed).toBe(gasUsed);
  });
});

describe('a trace of the state', () => {
  it('of a call has its reads and changes', async () => {
    const { context, request } = await call({ to: COUNTER, units: 4n });
    const { pre, post } = await traceCallState(world.evm, context, request);
    const slot = pad('0x0');
    expect(pre[COUNTER]).toEqual({ balance: 0n, nonce: 1n, code: code[COUNTER], storage: { [slot]: slot } });
    expect(post[COUNTER]).toEqual({ balance: 4n, storage: { [slot]: pad('0x01') } });
    expect(post[alice]).toEqual({ balance: WEALTH - 4n, nonce: 1n });
  });

  it('is refused if it is too large', async () => {
    const large = makeAccount('large').address;
    const readers = Array.from({ length: 300 }, (_, index) => pad(`0x${(index + 0x1000).toString(16)}`, { size: 20 }));
    const stateOverrides = Object.fromEntries([large, ...readers].map((address) => [address, { code: LARGE_CODE }]));
    const { context, request } = await call({ to: large }, stateOverrides);
    const data = assemble(readers.map((address) => `${address} EXTCODESIZE POP`).join(' '));
    await expect(traceCallState(world.evm, context, { ...request, to: null, data })).rejects.toMatchObject({
      code: 'TOO_MANY_RESULTS',
    });
  });

  it('of a block has each transaction, and leads to the state after the block', async () => {
    for (const units of [1n, 2n])
      world.submit(await world.sign(ALICE, { to: COUNTER, units, nonce: Number(units) - 1 }));
    await world.mine();
    const traces = await traceBlockState(world.evm, world.reader, 1, null);
    expect(traces.map(({ pre }) => pre[COUNTER]?.balance)).toEqual([0n, 1n]);
    expect(traces.map(({ post }) => post[COUNTER]?.balance)).toEqual([1n, 3n]);
    expect(traces[1]!.post[alice]?.balance).toBe(world.balance(ALICE.address));
    expect(await traceBlockState(world.evm, world.reader, 1, 1)).toEqual([traces[1]]);
    expect(await traceBlockState(world.evm, world.reader, 0, null)).toEqual([]);
  });
});

describe('a proof', () => {
  it.each<[string, Address]>([
    ['an account with storage', COUNTER],
    ['an account without', ALICE.address],
    ['an account that does not exist', NEW],
  ])('of %s leads to the state root', async (_, address) => {
    await world.send(ALICE, { to: COUNTER });
    const { stateRoot } = world.reader.block(1)!.header;
    const slots = [pad('0x0'), pad('0x01')].map((slot) => hexToBytes(slot));
    const proof = await proveAccount(
      world.reader.database,
      world.reader.state(1),
      stateRoot,
      hexToBytes(address),
      slots,
    );
    const options = { useKeyHashing: true, useKeyHashingFunction: keccak256 };
    const verify = (root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[]) =>
      verifyMerkleProof(key, [...nodes], { ...options, root });
    expect(keccak256(proof.accountProof[0]!)).toEqual(Uint8Array.from(stateRoot));
    const leaf = await verify(stateRoot, hexToBytes(address), proof.accountProof);
    const account = world.account(address, 1);
    expect(leaf === null).toBe(account === undefined);
    if (leaf === null) return;
    const [nonce, balance, storageHash] = RLP.decode(leaf) as [Uint8Array, Uint8Array, Uint8Array];
    expect([toNumber(nonce), toNumber(balance)]).toEqual([proof.nonce, proof.balance]);
    expect(storageHash).toEqual(Uint8Array.from(proof.storageHash));
    if (address !== COUNTER) return;
    const [written, empty] = proof.storageProof;
    expect(await verify(proof.storageHash, slots[0]!, written!.proof)).toEqual(RLP.encode(Uint8Array.of(1)));
    expect(toHex(written!.value)).toBe('0x01');
    expect(empty!.value).toHaveLength(0);
  });
});

function toNumber(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(bytesToHex(bytes));
}
