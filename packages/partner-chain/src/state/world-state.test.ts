import { Account, Address, bytesToHex } from '@ethereumjs/util';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keccak256 } from 'viem';
import type { StateReader } from './state-reader.js';
import { WorldState } from './world-state.js';

/** Accounts 0 and 1 exist before, with slots; the others are new. */
const ADDRESSES = [0, 1, 2, 3].map((index) => new Address(new Uint8Array(20).fill(index + 1)));
const KEYS = [0, 1, 2].map((index) => new Uint8Array(32).fill(index + 1));
const isOld = (address: number): boolean => address < 2;
const EMPTY = new Uint8Array(0);

const reader: StateReader = {
  account: ([first = 0]) => (isOld(first - 1) ? new Account(1n, BigInt(first) * 100n) : undefined),
  slot: ([first = 0], [key = 0]) => (isOld(first - 1) && key < 3 ? Uint8Array.of(first * 10 + key) : EMPTY),
  code: () => EMPTY,
};

/** The whole state, copied at each checkpoint. */
interface Model {
  /** By index: balance and code; null for none. */
  readonly accounts: ({ balance: bigint; code: string } | null)[];
  readonly slots: string[][];
}

const copyModel = ({ accounts, slots }: Model): Model => ({
  accounts: accounts.map((account) => (account === null ? null : { ...account })),
  slots: slots.map((values) => [...values]),
});
const before: Model = {
  accounts: [100n, 200n, null, null].map((balance) => (balance === null ? null : { balance, code: '0x' })),
  slots: ADDRESSES.map(({ bytes }) => KEYS.map((key) => bytesToHex(reader.slot(bytes, key)))),
};

const address = fc.nat({ max: 3 });
const newAddress = fc.integer({ min: 2, max: 3 });
const step = fc.oneof(
  fc.record({ op: fc.constant('put'), address, balance: fc.bigInt({ min: 0n, max: 9n }) } as const),
  fc.record({ op: fc.constant('remove'), address } as const),
  fc.record({ op: fc.constant('code'), address, code: fc.uint8Array({ maxLength: 2 }) } as const),
  fc.record({
    op: fc.constant('store'),
    address,
    key: fc.nat({ max: 2 }),
    value: fc.uint8Array({ maxLength: 2 }),
  } as const),
  fc.record({ op: fc.constant('delete'), address: newAddress } as const),
  fc.record({ op: fc.constant('clear'), address: newAddress } as const),
  fc.record({ op: fc.constantFrom('checkpoint', 'commit', 'revert', 'transaction') }),
);

it('equals a model that copies the whole state at each checkpoint', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const world = new WorldState(reader);
    let model = copyModel(before);
    let atStart = copyModel(before);
    const checkpoints: Model[] = [];
    for (const each of steps) {
      if ('address' in each) {
        await write(world, model, each);
      } else if (each.op === 'checkpoint') {
        checkpoints.push(copyModel(model));
        await world.checkpoint();
      } else if (each.op === 'transaction') {
        if (checkpoints.length > 0) continue;
        atStart = copyModel(model);
        world.beginTransaction();
      } else if (checkpoints.length > 0) {
        const kept = checkpoints.pop()!;
        if (each.op === 'revert') model = kept;
        await (each.op === 'revert' ? world.revert() : world.commit());
      }
      await compare(world, model, atStart);
    }
  });
  await fc.assert(property, { numRuns: 200 });
});

type Write = Extract<typeof step extends fc.Arbitrary<infer S> ? S : never, { address: number }>;

async function write(world: WorldState, model: Model, change: Write): Promise<void> {
  const at = ADDRESSES[change.address]!;
  const account = model.accounts[change.address] ?? null;
  if (change.op === 'put') {
    const code = account?.code ?? '0x';
    model.accounts[change.address] = { balance: change.balance, code };
    const current = (await world.getAccount(at)) ?? new Account();
    current.balance = change.balance;
    await world.putAccount(at, current);
    // The state keeps no reference to the account passed in.
    current.balance = 12_345n;
  } else if (change.op === 'remove') {
    model.accounts[change.address] = null;
    await world.putAccount(at, undefined);
  } else if (change.op === 'code') {
    model.accounts[change.address] = { balance: account?.balance ?? 0n, code: bytesToHex(change.code) };
    await world.putCode(at, change.code);
  } else if (change.op === 'store') {
    const unpadded = bytesToHex(change.value).replace(/^0x(00)+/, '0x');
    model.slots[change.address]![change.key] = unpadded;
    await world.putStorage(at, KEYS[change.key]!, change.value);
  } else {
    model.slots[change.address] = KEYS.map(() => '0x');
    if (change.op === 'delete') {
      model.accounts[change.address] = null;
      await world.deleteAccount(at);
    } else {
      await world.clearStorage(at);
    }
  }
}

async function compare(world: WorldState, model: Model, atStart: Model): Promise<void> {
  const { accounts, slots } = world.changes();
  for (const [index, at] of ADDRESSES.entries()) {
    const expected = model.accounts[index] ?? null;
    const account = await world.getAccount(at);
    expect(account?.balance).toBe(expected?.balance);
    if (expected !== null) {
      const codeHash =
        expected.code === '0x' ? new Account().codeHash : keccak256(expected.code as `0x${string}`, 'bytes');
      expect(bytesToHex(account!.codeHash)).toBe(bytesToHex(codeHash));
      expect(bytesToHex(await world.getCode(at))).toBe(expected.code);
    }
    const name = at.toString().slice(2);
    // Reported changes match the state, and every difference is reported.
    if (accounts.has(name)) expect(accounts.get(name)?.balance).toBe(expected?.balance);
    else expect(expected?.balance).toBe(before.accounts[index]?.balance);
    for (const [keyIndex, key] of KEYS.entries()) {
      const value = model.slots[index]?.[keyIndex];
      expect(bytesToHex(await world.getStorage(at, key))).toBe(value);
      const original = atStart.slots[index]?.[keyIndex];
      expect(bytesToHex(await world.originalStorageCache.get(at, key))).toBe(original);
      const reported = slots.get(name)?.get(bytesToHex(key).slice(2));
      expect(reported === undefined ? before.slots[index]?.[keyIndex] : bytesToHex(reported)).toBe(value);
    }
    const isNew = atStart.accounts[index] === null;
    const isPlain = expected === null || expected.code === '0x';
    await world.checkpoint();
    expect(world.createForPayment(at, true)).toBe(isNew && isPlain);
    expect(world.createForPayment(at, true)).toBe(false);
    await world.revert();
  }
}
