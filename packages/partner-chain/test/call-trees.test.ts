import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bytesToHex, concat, getContractAddress, numberToHex, sha256, type Address, type Hex } from 'viem';
import type { CallFrame } from '../src/evm/call-tree.js';
import { ALICE, BOB, CAROL, DAVE, CHAIN_ID, EngineWorld, GWEI } from './engine-world.js';
import { assemble, deploying, BOMB, CONTRACTS, FACTORY, FORWARD, READER, REVERTER, STORE, words } from './contracts.js';

const ALICE_LOW = ALICE.address.toLowerCase();
const BOB_LOW = BOB.address.toLowerCase() as Address;
/** Calls READER with every call opcode, with 3 units where a value is possible. */
const EVERY_WAY: Address = `0x${'a1'.repeat(20)}`;
/** CREATE2 of the initcode in its calldata, with salt 5 and all value. */
const FACTORY_2: Address = `0x${'a2'.repeat(20)}`;
/** Calls SHA-256 with the word 9. */
const HASHES: Address = `0x${'a3'.repeat(20)}`;
/** Reads a little and calls itself endlessly. */
const RECURSES: Address = `0x${'a4'.repeat(20)}`;
/** Calls an account without code 12,000 times. */
const CHATTERS: Address = `0x${'a5'.repeat(20)}`;
/** Reads a little and calls an account without code, 11,000 times. */
const WORKS: Address = `0x${'a6'.repeat(20)}`;
/** Calls READER and STORE, and pays everything it received to BOB. */
const PAYS: Address = `0x${'a7'.repeat(20)}`;
/** Sends messages with every opcode that a static frame allows, by CALLCODE to itself, otherwise to READER. */
const EVERY_OPCODE: Address = `0x${'a8'.repeat(20)}`;
/** Calls EVERY_OPCODE in a static frame. */
const STATIC: Address = `0x${'a9'.repeat(20)}`;
/** Tries to pay more than it has before other calls. */
const PAYS_TOO_MUCH: Address = `0x${'aa'.repeat(20)}`;
/** Runs BOMB's code, which destroys it. */
const DELEGATES_BOMB: Address = `0x${'ab'.repeat(20)}`;
/** Calls BOMB in a static frame, and with too little gas. */
const STATIC_BOMB: Address = `0x${'ac'.repeat(20)}`;

const code = {
  ...CONTRACTS,
  [EVERY_WAY]: assemble(`
    160 0 0 0 3 ${READER} GAS CALL POP
    160 0 0 0 3 ${READER} GAS CALLCODE POP
    160 0 0 0 ${READER} GAS DELEGATECALL POP
    160 0 0 0 ${READER} GAS STATICCALL POP
    0 0 0 0 0 ${REVERTER} 50000 CALL POP
    0 0 0 0 0 ${STORE} GAS STATICCALL STOP`),
  [FACTORY_2]: assemble('CALLDATASIZE 0 0 CALLDATACOPY 5 CALLDATASIZE 0 CALLVALUE CREATE2 0 MSTORE 32 0 RETURN'),
  [HASHES]: assemble('9 0 MSTORE 32 0 32 0 2 GAS STATICCALL POP 32 0 RETURN'),
  [RECURSES]: assemble('1 SLOAD 2 SLOAD 3 SLOAD 0 0 0 0 0 ADDRESS GAS CALL STOP'),
  [CHATTERS]: assemble(`12000 next: 0 0 0 0 0 0xff GAS CALL POP 1 SWAP1 SUB DUP1 @next JUMPI STOP`),
  [WORKS]: assemble(
    `11000 next: 1 SLOAD 2 SLOAD 3 SLOAD POP POP POP 0 0 0 0 0 0xff GAS CALL POP 1 SWAP1 SUB DUP1 @next JUMPI STOP`,
  ),
  [PAYS]: assemble(`
    0 0 0 0 ${READER} GAS STATICCALL POP
    0 0 64 0 0 ${STORE} GAS CALL POP
    0 0 0 0 CALLVALUE ${BOB.address} GAS CALL STOP`),
  [EVERY_OPCODE]: assemble(`
    CALLER ADDRESS EQ @end JUMPI CALLVALUE @end JUMPI
    0 0 0 0 0 ${READER} GAS CALL POP
    0 0 0 0 0 ADDRESS 5000 CALLCODE POP
    0 0 0 0 ${READER} GAS DELEGATECALL POP
    0 0 0 0 ${READER} GAS STATICCALL POP
    0 0 0 0 0 ${READER} GAS CALL POP
    end: STOP`),
  [STATIC]: assemble(`0 0 0 0 ${EVERY_OPCODE} GAS STATICCALL STOP`),
  [PAYS_TOO_MUCH]: assemble(`
    0 0 0 0 1 ${READER} GAS CALL POP 0 0 0 0 ${READER} GAS STATICCALL POP
    0 0 9 CREATE POP 0 0 0 0 ${READER} GAS DELEGATECALL STOP`),
  [DELEGATES_BOMB]: assemble(`0 CALLDATALOAD 0 MSTORE 0 0 32 0 ${BOMB} GAS DELEGATECALL STOP`),
  [STATIC_BOMB]: assemble(`
    0 CALLDATALOAD 0 MSTORE 0 0 32 0 ${BOMB} 50000 STATICCALL POP
    0 0 32 0 0 ${BOMB} 4000 CALL STOP`),
};

let world: EngineWorld;

beforeEach(async () => {
  world = await EngineWorld.open({}, code);
});

afterEach(async () => world.close());

const tree = (): CallFrame => world.reader.calls(world.head, 0)!;

describe('the outermost frame', () => {
  it('is the transaction, with its gas, value, input and output', async () => {
    const receipt = await world.send(ALICE, { to: READER, units: 4n, data: '0x1234', gas: 90_000n });
    expect(tree()).toEqual({
      type: 'CALL',
      from: ALICE_LOW,
      to: READER,
      value: 4n,
      gas: 90_000n,
      gasUsed: receipt.gasUsed,
      input: '0x1234',
      output: expect.stringMatching(/^0x[0-9a-f]{320}$/),
      error: null,
      calls: [],
    });
  });

  it('of a creation has the initcode as input, the code as output and the new contract', async () => {
    const initcode = deploying(CONTRACTS[STORE]!);
    const receipt = await world.send(ALICE, { to: null, units: 4n, data: initcode });
    const contract = getContractAddress({ from: ALICE.address, nonce: 0n }).toLowerCase();
    expect(bytesToHex(receipt.contractAddress!)).toBe(contract);
    expect(tree()).toMatchObject({
      type: 'CREATE',
      to: contract,
      input: initcode,
      output: CONTRACTS[STORE],
      value: 4n,
    });
  });

  it('of a failed creation has no contract, and an error', async () => {
    await world.send(ALICE, { to: null, data: assemble('7 0 MSTORE 32 0 REVERT') });
    expect(tree()).toMatchObject({ type: 'CREATE', to: null, error: 'revert', output: words(7n) });
  });

  it('that reverted has the return data', async () => {
    const receipt = await world.send(ALICE, { to: REVERTER, gas: 100_000n });
    expect(tree()).toMatchObject({ error: 'revert', output: words(7n), gasUsed: receipt.gasUsed });
  });
});

describe('nested frames', () => {
  it('have caller, callee and type, in order', async () => {
    const receipt = await world.send(ALICE, { to: EVERY_WAY, units: 10n, gas: 2_000_000n });
    expect(receipt.status).toBe(1);
    const frame = { from: EVERY_WAY, input: '0x', calls: [], error: null };
    expect(tree().calls).toMatchObject([
      { ...frame, type: 'CALL', to: READER, value: 3n },
      { ...frame, type: 'CALLCODE', to: READER, value: 3n },
      { ...frame, type: 'DELEGATECALL', to: READER, value: 10n },
      { ...frame, type: 'STATICCALL', to: READER, value: 0n },
      { ...frame, type: 'CALL', to: REVERTER, value: 0n, error: 'revert', output: words(7n) },
      { ...frame, type: 'STATICCALL', to: STORE, value: 0n, error: expect.stringContaining('static') },
    ]);
    for (const { gas, gasUsed } of tree().calls) {
      expect(gasUsed).toBeGreaterThan(0n);
      expect(gasUsed).toBeLessThanOrEqual(gas);
    }
    // A delegate call has the value and the balance of its caller.
    expect(tree().calls[2]?.output.slice(0, 66)).toBe(words(10n));
  });

  it('show creations, by CREATE and CREATE2, and the creations inside them', async () => {
    const initcode = deploying('0x00');
    await world.send(ALICE, { to: FACTORY_2, units: 2n, data: initcode });
    const salt = numberToHex(5, { size: 32 });
    const contract = getContractAddress({ from: FACTORY_2, salt, bytecode: initcode, opcode: 'CREATE2' }).toLowerCase();
    expect(tree().calls).toMatchObject([{ type: 'CREATE2', from: FACTORY_2, to: contract, value: 2n, output: '0x00' }]);

    const calling = concat([assemble(`0 0 0 0 1 ${READER} GAS CALL POP`), '0x00']);
    await world.send(ALICE, { to: FACTORY, units: 2n, data: calling });
    const [created] = tree().calls;
    expect(created).toMatchObject({ type: 'CREATE', from: FACTORY, input: calling, error: null });
    expect(created?.calls).toMatchObject([{ type: 'CALL', from: created?.to, to: READER, value: 1n }]);
  });

  it('of a failed creation have no contract', async () => {
    await world.send(ALICE, { to: FACTORY, data: '0xfe', gas: 200_000n });
    expect(tree().calls).toMatchObject([{ type: 'CREATE', to: null, error: 'invalid opcode' }]);
    // The same CREATE2 twice: the address is taken.
    await world.send(ALICE, { to: FACTORY_2, data: '0x00' });
    await world.send(ALICE, { to: FACTORY_2, data: '0x00' });
    expect(tree().calls).toMatchObject([{ type: 'CREATE2', to: null, error: 'create collision' }]);
  });

  it('show precompiles and accounts without code', async () => {
    await world.send(ALICE, { to: HASHES });
    const digest = sha256(words(9n));
    expect(tree()).toMatchObject({ output: digest });
    expect(tree().calls).toMatchObject([
      { type: 'STATICCALL', to: `0x${'0'.repeat(39)}2`, input: words(9n), output: digest, gasUsed: 72n },
    ]);
    await world.send(ALICE, { to: FORWARD, units: 3n, data: concat([words(BOB.address), '0xabcd']) });
    expect(tree().calls).toMatchObject([{ type: 'CALL', to: BOB_LOW, value: 3n, input: '0xabcd', gasUsed: 0n }]);
  });

  it('that reverted keep their calls', async () => {
    const both = assemble(`0 0 0 0 1 ${READER} GAS CALL POP 0 0 REVERT`);
    await world.send(ALICE, { to: FACTORY, units: 3n, data: both });
    expect(tree()).toMatchObject({ error: null });
    expect(tree().calls[0]).toMatchObject({ error: 'revert', calls: [{ to: READER, value: 1n, error: null }] });
    expect(world.balance(READER)).toBe(0n);
  });

  it('run the code of a delegation as the delegating account (EIP-7702)', async () => {
    const authorization = await BOB.signAuthorization({ chainId: CHAIN_ID, address: FORWARD, nonce: 0 });
    const raw = await ALICE.signTransaction({
      type: 'eip7702',
      chainId: CHAIN_ID,
      nonce: 0,
      to: BOB.address,
      data: words(STORE, 1n, 2n),
      gas: 300_000n,
      maxFeePerGas: GWEI,
      maxPriorityFeePerGas: GWEI / 2n,
      authorizationList: [authorization],
    });
    world.submit(raw);
    await world.mine();
    expect(tree()).toMatchObject({ type: 'CALL', from: ALICE_LOW, to: BOB_LOW, error: null });
    expect(tree().calls).toMatchObject([{ type: 'CALL', from: BOB_LOW, to: STORE, input: words(1n, 2n) }]);
    expect(world.slot(STORE, 1n)).toBe(2n);
  });
});

describe('the type of a message', () => {
  const types = (frame: CallFrame): string[] => frame.calls.map(({ type }) => type);

  it('is that of its opcode, also in a static frame', async () => {
    await world.send(ALICE, { to: STATIC, gas: 1_000_000n });
    const [inner] = tree().calls;
    expect(inner).toMatchObject({ type: 'STATICCALL', to: EVERY_OPCODE, error: null });
    expect(types(inner!)).toEqual(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CALL']);
    expect(inner?.calls[1]).toMatchObject({ from: EVERY_OPCODE, to: EVERY_OPCODE });
  });

  it('is not that of an opcode that failed before its message', async () => {
    await world.send(ALICE, { to: PAYS_TOO_MUCH, gas: 1_000_000n });
    expect(types(tree())).toEqual(['STATICCALL', 'DELEGATECALL']);
  });
});

describe('a contract that destroys itself', () => {
  const destroyed = (from: Hex, to: Hex, value: bigint): CallFrame => ({
    type: 'SELFDESTRUCT',
    from,
    to,
    value,
    gas: 0n,
    gasUsed: 0n,
    input: '0x',
    output: '0x',
    error: null,
    calls: [],
  });

  it('shows the heir and the amount', async () => {
    const before = world.balance(BOB.address);
    await world.send(ALICE, { to: FORWARD, units: 3n, data: words(BOMB, BOB.address) });
    expect(tree().calls).toMatchObject([{ type: 'CALL', to: BOMB, value: 3n, input: words(BOB_LOW), error: null }]);
    expect(tree().calls[0]?.calls).toEqual([destroyed(BOMB, BOB_LOW, 3n)]);
    expect(world.balance(BOB.address)).toBe(before + 3n);
  });

  it('shows itself as its heir, and keeps its balance', async () => {
    await world.send(ALICE, { to: FORWARD, units: 3n, data: words(BOMB, BOMB) });
    expect(tree().calls[0]?.calls).toEqual([destroyed(BOMB, BOMB, 3n)]);
    expect(world.balance(BOMB)).toBe(3n);
  });

  it('is the contract with the balance, also if the code is of another contract', async () => {
    await world.send(ALICE, { to: DELEGATES_BOMB, units: 4n, data: words(BOB_LOW) });
    expect(tree().calls).toMatchObject([{ type: 'DELEGATECALL', to: BOMB }]);
    expect(tree().calls[0]?.calls).toEqual([destroyed(DELEGATES_BOMB, BOB_LOW, 4n)]);
  });

  it('can do so during its creation', async () => {
    await world.send(ALICE, { to: null, units: 5n, data: assemble(`${BOB.address} SELFDESTRUCT`) });
    const contract = getContractAddress({ from: ALICE.address, nonce: 0n }).toLowerCase() as Hex;
    expect(tree()).toMatchObject({ type: 'CREATE', to: contract, calls: [destroyed(contract, BOB_LOW, 5n)] });
  });

  it('shows only if it is allowed: in a frame with enough gas that is not static', async () => {
    await world.send(ALICE, { to: STATIC_BOMB, data: words(BOB_LOW), gas: 1_000_000n });
    expect(tree().calls).toMatchObject([
      { type: 'STATICCALL', to: BOMB, error: expect.stringContaining('static'), calls: [] },
      { type: 'CALL', to: BOMB, error: 'out of gas', calls: [] },
    ]);
  });
});

describe('a tree that is too large', () => {
  it('is kept as far as the used gas allows, and counts the omitted pieces', async () => {
    const { status, gasUsed } = await world.send(ALICE, { to: CHATTERS, gas: 16_000_000n });
    expect(status).toBe(1);
    // 256 bytes per message, and 3 bytes per 4 gas.
    expect(count(tree())).toBe(Math.floor((Number(gasUsed) * 3) / 4 / 256));
    expect(tree().omitted).toBe(12_001 - count(tree()));
  });

  it('never has more than 10,000 messages', async () => {
    await world.send(ALICE, { to: WORKS, gas: 16_000_000n });
    expect(count(tree())).toBe(10_000);
    expect(tree().omitted).toBe(1_001);
  });

  it('keeps its payment, whatever the earlier transactions of the block', async () => {
    for (const sender of [BOB, CAROL, DAVE]) {
      world.submit(await world.sign(sender, { to: CHATTERS, gas: 16_000_000n, gasPrice: 2n * GWEI }));
    }
    world.submit(await world.sign(ALICE, { to: PAYS, units: 5n, gas: 200_000n }));
    const receipts = await world.mine();
    expect(receipts.map(({ status }) => status)).toEqual([1, 1, 1, 1]);
    const paid = world.reader.calls(world.head, 3);
    expect(paid).toMatchObject({ to: PAYS, calls: [{ to: READER }, { to: STORE }, { to: BOB_LOW, value: 5n }] });
    expect(paid).not.toHaveProperty('omitted');
  });

  it('is otherwise kept to the deepest frame', async () => {
    await world.send(ALICE, { to: RECURSES, gas: 16_000_000n });
    expect(count(tree())).toBeGreaterThan(200);
    expect(tree().omitted).toBeUndefined();
  });
});

it('every transaction of a block has its own tree', async () => {
  const targets: Hex[] = [READER, FORWARD, STORE];
  for (const to of targets) world.submit(await world.sign(ALICE, { to, data: words(READER), gas: 300_000n }));
  await world.mine();
  expect(targets.map((_, index) => world.reader.calls(1, index)?.to)).toEqual(targets);
  expect(world.reader.calls(1, 3)).toBeNull();
});

function count(frame: CallFrame): number {
  return 1 + frame.calls.reduce((sum, call) => sum + count(call), 0);
}
