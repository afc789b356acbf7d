import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, hexToBigInt, keccak256, parseTransaction, type Address, type Hex } from 'viem';
import { estimateGas, simulate } from '../src/simulation/simulate.js';
import { makeAccount, ALICE, BOB, CHAIN_ID, EngineWorld, GWEI, UNIT, VALIDATOR, WEALTH } from './engine-world.js';
import { assemble, deploying, BOMB, CONTRACTS, FACTORY, FORWARD, READER, words } from './contracts.js';
import { totalCoin } from './flat-state.js';
import { randomBlocks, submitAll } from './random-load.js';

/** Initcode of a contract that destroys itself immediately and is its own heir. */
const ENDS_FOR_ITSELF = assemble('ADDRESS SELFDESTRUCT');

describe('over random blocks', () => {
  it('no unit of coin is created or lost', async () => {
    await fc.assert(
      fc.asyncProperty(randomBlocks, async (blocks) => {
        const world = await EngineWorld.open({}, CONTRACTS);
        try {
          const total = totalCoin(world.reader.database);
          for (const actions of blocks) {
            await submitAll(world, actions);
            await world.mine();
            expect(totalCoin(world.reader.database)).toBe(total);
          }
        } finally {
          await world.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('coin', () => {
  let world: EngineWorld;

  beforeEach(async () => {
    world = await EngineWorld.open({}, CONTRACTS);
  });

  afterEach(async () => world.close());

  const call = (from: Address, to: Address, units: bigint, data: Hex = '0x') => {
    return simulate(world.evm, world.context(), world.request(from, { to, units, data }));
  };

  it('pays the fee, rounded up to a unit, to the validator', async () => {
    // 21,000 gas at 0.500000001 gwei are 1050.0000021 units.
    const gasPrice = GWEI / 2n + 1n;
    const receipt = await world.send(ALICE, { to: BOB.address, units: 5n, gas: 21_000n, gasPrice });
    expect(receipt.effectiveGasPrice).toBe(gasPrice);
    expect(world.balance(VALIDATOR)).toBe(1_051n);
    expect(world.balance(ALICE.address)).toBe(WEALTH - 5n - 1_051n);
    expect(world.balance(BOB.address)).toBe(WEALTH + 5n);
  });

  it('pays for the used gas, not for the gas limit', async () => {
    const gasPrice = 3n * GWEI + 123_456_789n;
    const receipt = await world.send(ALICE, { to: BOB.address, gas: 900_000n, gasPrice });
    const fee = (receipt.gasUsed * gasPrice + UNIT - 1n) / UNIT;
    expect(receipt.gasUsed).toBe(21_000n);
    expect(world.balance(VALIDATOR)).toBe(fee);
    expect(world.balance(ALICE.address)).toBe(WEALTH - fee);
  });

  it('charges a tip only within the cap', async () => {
    const raw = await ALICE.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      nonce: 0,
      to: BOB.address,
      gas: 21_000n,
      maxFeePerGas: 5n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    world.submit(raw);
    const [receipt] = await world.mine();
    expect(receipt?.effectiveGasPrice).toBe(GWEI + GWEI / 2n);
    expect(world.balance(VALIDATOR)).toBe((21_000n * (GWEI + GWEI / 2n)) / UNIT);
  });

  it('with a fraction of a unit is refused in transactions, calls and estimates', async () => {
    const wei = UNIT + 1n;
    const raw = await ALICE.signTransaction({
      type: 'legacy',
      chainId: CHAIN_ID,
      nonce: 0,
      to: BOB.address,
      value: wei,
      gas: 21_000n,
      gasPrice: GWEI,
    });
    expect(() => world.submit(raw)).toThrow(/not a multiple of 10000000000 wei; 1 wei would be lost/);
    const request = { ...world.request(ALICE.address, { to: BOB.address }), value: wei };
    const dust = { name: 'PartnerChainError', code: 'DUST' };
    await expect(simulate(world.evm, world.context(0), request)).rejects.toMatchObject(dust);
    await expect(estimateGas(world.evm, world.context(0), request)).rejects.toMatchObject(dust);
  });

  it('has 8 decimals inside the EVM: value, own balance, balance of another', async () => {
    await world.send(ALICE, { to: BOB.address, gas: 21_000n });
    const { returnValue } = await call(BOB.address, READER, 123n);
    const [value, own, callers, gasPrice, baseFee] = bytesToHex(returnValue)
      .slice(2)
      .match(/.{64}/g)!
      .map((word) => BigInt(`0x${word}`));
    expect({ value, own, callers, gasPrice, baseFee }).toEqual({
      value: 123n,
      own: 123n,
      callers: WEALTH - 123n,
      gasPrice: 0n,
      baseFee: 0n,
    });
  });

  it('has 18 decimals outside: the stored transaction, its hash', async () => {
    const raw = await world.sign(ALICE, { to: BOB.address, units: 123n });
    const hash = world.submit(raw);
    await world.mine();
    expect(hash).toBe(keccak256(raw));
    const stored = world.reader.transactionAt(1, 0)!;
    expect(bytesToHex(stored.raw)).toBe(raw);
    expect(parseTransaction(bytesToHex(stored.raw)).value).toBe(123n * UNIT);
    expect(bytesToHex(stored.sender)).toBe(ALICE.address.toLowerCase());
    expect(world.reader.calls(1, 0)?.value).toBe(123n);
  });

  it('moves through nested calls', async () => {
    const receipt = await world.send(ALICE, { to: FORWARD, units: 77n, data: words(READER) });
    expect(receipt.status).toBe(1);
    expect(world.balance(FORWARD)).toBe(0n);
    expect(world.balance(READER)).toBe(77n);
    const calls = world.reader.calls(1, 0)!;
    expect(calls.calls[0]).toMatchObject({ from: FORWARD, to: READER, value: 77n });
    expect(hexToBigInt(`0x${calls.calls[0]!.output.slice(2, 66)}`)).toBe(77n);
  });

  it('moves into a new contract, by transaction and by CREATE', async () => {
    const top = await world.send(ALICE, { to: null, units: 9n, data: deploying('0x00') });
    expect(world.balance(bytesToHex(top.contractAddress!))).toBe(9n);
    await world.send(ALICE, { to: FACTORY, units: 11n, data: deploying('0x00') });
    const created = world.reader.calls(world.head, 0)!.calls[0]!;
    expect(created).toMatchObject({ type: 'CREATE', value: 11n, error: null });
    expect(world.balance(created.to!)).toBe(11n);
  });

  it('leaves a contract by SELFDESTRUCT, which does not delete an existing contract (EIP-6780)', async () => {
    const heir = BOB.address;
    await world.send(ALICE, { to: BOMB, units: 40n, data: words(heir) });
    expect(world.balance(heir)).toBe(WEALTH + 40n);
    expect(world.account(BOMB)?.isContract()).toBe(true);
  });

  it('is burnt by a contract that destroys itself in its creating transaction as its own heir, as on Ethereum', async () => {
    const total = totalCoin(world.reader.database);
    const receipt = await world.send(ALICE, { to: null, units: 40n, data: ENDS_FOR_ITSELF });
    expect(receipt.status).toBe(1);
    expect(world.account(bytesToHex(receipt.contractAddress!))).toBeUndefined();
    expect(totalCoin(world.reader.database)).toBe(total - 40n);
  });

  it('stays with the sender if the transaction fails', async () => {
    const receipt = await world.send(ALICE, { to: READER, units: 40n, gas: 21_005n });
    expect(receipt.status).toBe(0);
    expect(world.balance(READER)).toBe(0n);
    expect(world.balance(ALICE.address)).toBe(WEALTH - (receipt.gasUsed * GWEI + UNIT - 1n) / UNIT);
  });

  it('can be spent to the last unit', async () => {
    const fee = (21_000n * GWEI) / UNIT;
    await world.send(ALICE, { to: BOB.address, units: WEALTH - fee, gas: 21_000n });
    expect(world.balance(ALICE.address)).toBe(0n);
    expect(world.account(ALICE.address)?.nonce).toBe(1n);
  });

  it('beyond the balance is refused', async () => {
    const poor = makeAccount('poor');
    await world.send(ALICE, { to: poor.address, units: 2_200n });
    const fee = (21_000n * GWEI) / UNIT;
    const tooMuch = await world.sign(poor, { to: ALICE.address, units: 2_200n - fee + 1n, gas: 21_000n });
    expect(() => world.submit(tooMuch)).toThrow(/insufficient funds/);
    await expect(call(poor.address, ALICE.address, 2_201n)).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' });
  });
});
