import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, hexToBytes, numberToHex, type Address, type Hex } from 'viem';
import { estimateGas, simulate } from '../src/simulation/simulate.js';
import { makeAccount, ALICE, BOB, EngineWorld } from './engine-world.js';
import { assemble, CONTRACTS, LOOP, READER, STORE, words } from './contracts.js';
import { flatAccounts, flatSlots, type FlatAccount } from './flat-state.js';
import { randomBlocks, submitAll } from './random-load.js';

/** load(slot) adds one to slot 9 of its own storage, then returns the value. */
const COUNTER: Address = `0x${'b1'.repeat(20)}`;
/** where() returns the previous block's hash, the number and the time. */
const WHERE: Address = `0x${'b2'.repeat(20)}`;
const code = {
  ...CONTRACTS,
  [COUNTER]: assemble('1 9 SLOAD ADD 9 SSTORE 0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN'),
  [WHERE]: assemble('1 NUMBER SUB BLOCKHASH 0 MSTORE NUMBER 32 MSTORE 64 0 RETURN'),
};

interface Snapshot {
  readonly accounts: ReadonlyMap<Hex, FlatAccount>;
  readonly slots: ReadonlyMap<Hex, ReadonlyMap<Hex, Hex>>;
}

it('every block keeps every account and slot as of the time when it was the newest', async () => {
  await fc.assert(
    fc.asyncProperty(randomBlocks, async (blocks) => {
      const world = await EngineWorld.open({}, code);
      try {
        const { database } = world.reader;
        const snapshots: Snapshot[] = [{ accounts: flatAccounts(database), slots: flatSlots(database) }];
        for (const actions of blocks) {
          await submitAll(world, actions);
          await world.mine();
          snapshots.push({ accounts: flatAccounts(database), slots: flatSlots(database) });
        }
        checkHistory(world, snapshots);
      } finally {
        await world.close();
      }
    }),
    { numRuns: 20 },
  );
});

function checkHistory(world: EngineWorld, snapshots: readonly Snapshot[]): void {
  const addresses = new Set(snapshots.flatMap(({ accounts }) => [...accounts.keys()]));
  const slots = snapshots.flatMap((snapshot) =>
    [...snapshot.slots].flatMap(([address, values]) => [...values.keys()].map((slot) => [address, slot] as const)),
  );
  for (const [number, snapshot] of snapshots.entries()) {
    const state = world.reader.state(number);
    for (const address of addresses) {
      const account = state.account(hexToBytes(address));
      const expected = snapshot.accounts.get(address);
      expect(account?.nonce).toBe(expected?.nonce);
      expect(account?.balance).toBe(expected?.balance);
      expect(account === undefined ? undefined : bytesToHex(account.codeHash)).toBe(expected?.codeHash);
    }
    for (const [address, slot] of slots) {
      const value = bytesToHex(state.slot(hexToBytes(address), hexToBytes(slot)));
      expect(value).toBe(snapshot.slots.get(address)?.get(slot) ?? '0x');
    }
  }
}

describe('at an old block', () => {
  let world: EngineWorld;
  const call = async (number: number, to: Address, data: Hex, from: Address = ALICE.address) => {
    const result = await simulate(world.evm, world.context(number), world.request(from, { to, data }));
    return bytesToHex(result.returnValue);
  };

  beforeEach(async () => {
    world = await EngineWorld.open({}, code);
  });

  afterEach(async () => world.close());

  it('calls see the storage, the balances and the code of that block', async () => {
    for (let value = 1n; value <= 5n; value += 1n) {
      await world.send(ALICE, { to: STORE, data: words(1n, value * 100n), units: value });
    }
    expect(world.slot(STORE, 1n, 3)).toBe(300n);
    for (let number = 0; number <= 5; number += 1) {
      expect(world.slot(STORE, 1n, number)).toBe(BigInt(number) * 100n);
      const balances = await call(number, READER, '0x', STORE);
      expect(balances.slice(2 + 128, 2 + 192)).toBe(
        numberToHex((BigInt(number) * BigInt(number + 1)) / 2n, { size: 32 }).slice(2),
      );
    }
    const created = await world.send(ALICE, { to: null, data: '0x6000600052600160205360206000f3' });
    const contract = bytesToHex(created.contractAddress!);
    expect(world.account(contract, 5)).toBeUndefined();
    expect(world.account(contract, 6)?.isContract()).toBe(true);
  });

  it('calls run in that block, and read the earlier hashes', async () => {
    for (let round = 0; round < 4; round += 1) await world.mine();
    const result = await call(3, WHERE, '0x');
    expect(result).toBe(`${bytesToHex(world.reader.block(2)!.hash)}${words(3n).slice(2)}`);
  });

  it('estimates depend on whether an account existed', async () => {
    const fresh = makeAccount('fresh').address;
    await world.send(ALICE, { to: fresh, units: 1n });
    const draft = world.request(ALICE.address, { to: fresh, units: 1n });
    const at = (number: number) => estimateGas(world.evm, world.context(number), draft);
    expect([await at(0), await at(1)]).toEqual([587_000n, 21_000n]);
  });

  it('a call does not change the chain or the next call', async () => {
    await world.send(ALICE, { to: COUNTER, data: words(9n) });
    const accounts = flatAccounts(world.reader.database);
    for (let round = 0; round < 3; round += 1) expect(await call(1, COUNTER, words(9n))).toBe(words(2n));
    await call(1, STORE, words(1n, 5n));
    await expect(simulateFailing()).resolves.toBe(0);
    expect(await call(1, COUNTER, words(9n))).toBe(words(2n));
    expect(flatAccounts(world.reader.database)).toEqual(accounts);
    expect(world.slot(STORE, 1n)).toBe(0n);
  });

  async function simulateFailing(): Promise<number> {
    const request = world.request(BOB.address, { to: LOOP, gas: 100_000n });
    return (await simulate(world.evm, world.context(1), request)).status;
  }

  it('an endless loop uses up its gas', async () => {
    const loop = world.request(ALICE.address, { to: LOOP, gas: 3_000_000n });
    expect(await simulate(world.evm, world.context(0), loop)).toMatchObject({ status: 0, gasUsed: 3_000_000n });
    await expect(estimateGas(world.evm, world.context(0), loop)).rejects.toMatchObject({
      code: 'EXECUTION_REVERTED',
      message: 'out of gas',
    });
  });

  it('too long initcode and too little gas are refused with the chain’s errors', async () => {
    const long = world.request(ALICE.address, { to: null, data: `0x${'00'.repeat(49_153)}` });
    const poor = world.request(ALICE.address, { to: STORE, gas: 20_999n });
    for (const request of [long, poor]) {
      await expect(simulate(world.evm, world.context(0), request)).rejects.toMatchObject({
        name: 'PartnerChainError',
      });
    }
  });
});
