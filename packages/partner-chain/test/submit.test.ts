import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hexToBytes, type Address } from 'viem';
import { assemble, CONTRACTS, STORE } from './contracts.js';
import { makeAccount, ALICE, BOB, CAROL, CHAIN_ID, EngineWorld, GWEI, WEALTH } from './engine-world.js';

/** An address with a key and, from the genesis on, with code. */
const CODED = makeAccount('coded');

/** Sends its whole balance to its caller. */
const DRAIN: Address = `0x${'d7'.repeat(20)}`;

const DRAIN_CODE = assemble('0 0 0 0 SELFBALANCE CALLER GAS CALL STOP');

let world: EngineWorld;

beforeEach(async () => {
  world = await EngineWorld.open({}, { ...CONTRACTS, [CODED.address]: '0x00', [DRAIN]: DRAIN_CODE });
});

afterEach(async () => world.close());

const getNonce = (address: Address): bigint => world.engine.pendingNonce(hexToBytes(address));
const transfer = { to: BOB.address, gas: 21_000n } as const;

/** Delegates BOB's account to the code of STORE, in a separate block. */
async function delegate(nonce: number, sender = ALICE): Promise<void> {
  world.submit(await delegation(nonce, sender));
  await world.mine();
}

async function delegation(nonce: number, sender = ALICE) {
  const authorization = await BOB.signAuthorization({ chainId: CHAIN_ID, address: STORE, nonce });
  return await sender.signTransaction({
    type: 'eip7702',
    chainId: CHAIN_ID,
    nonce: Number(getNonce(sender.address)),
    to: sender.address,
    gas: 100_000n,
    maxFeePerGas: 5n * GWEI,
    maxPriorityFeePerGas: 4n * GWEI,
    authorizationList: [authorization],
  });
}

describe('a transaction is refused', () => {
  it('that offers less than the base fee', async () => {
    const raw = await world.sign(ALICE, { ...transfer, gasPrice: GWEI / 2n });
    world.submit(raw);
    const poor = await BOB.signTransaction({
      type: 'legacy',
      chainId: CHAIN_ID,
      ...transfer,
      nonce: 0,
      gasPrice: GWEI / 2n - 1n,
    });
    expect(() => world.submit(poor)).toThrow(/underpriced: 499999999 wei per gas offered, at least 500000000 needed/);
  });

  it('with more gas than a block has', async () => {
    const small = await EngineWorld.open({ blockGasLimit: 100_000n }, CONTRACTS);
    try {
      const raw = await small.sign(ALICE, { ...transfer, gas: 100_001n });
      expect(() => small.submit(raw)).toThrow("gas limit 100001 exceeds a block's");
      small.submit(await small.sign(ALICE, { ...transfer, gas: 100_000n }));
    } finally {
      await small.close();
    }
  });

  it('with a used nonce, or a nonce too far ahead', async () => {
    await world.send(ALICE, transfer);
    const used = await world.sign(ALICE, { ...transfer, nonce: 0, units: 1n });
    expect(() => world.submit(used)).toThrow('nonce too low: next nonce 1, tx nonce 0');
    const far = await world.sign(ALICE, { ...transfer, nonce: 2_001 });
    expect(() => world.submit(far)).toThrow(/too far ahead/);
  });

  it('that is already pending or mined', async () => {
    const raw = await world.sign(ALICE, transfer);
    world.submit(raw);
    expect(() => world.submit(raw)).toThrow('already known');
    await world.mine();
    expect(() => world.submit(raw)).toThrow('already known');
  });

  it('that the balance does not cover in addition to pending transactions', async () => {
    const half = WEALTH / 2n;
    world.submit(await world.sign(ALICE, { ...transfer, units: half - 2_100n }));
    const second = await world.sign(ALICE, { ...transfer, units: half - 2_099n });
    expect(() => world.submit(second)).toThrow(/insufficient funds.*in addition to/);
    world.submit(await world.sign(ALICE, { ...transfer, units: half - 2_100n }));
    expect((await world.mine()).map(({ status }) => status)).toEqual([1, 1]);
    expect(world.balance(ALICE.address)).toBe(0n);
  });

  it('from a contract (EIP-3607), unless its code is a delegation (EIP-7702)', async () => {
    await world.send(ALICE, { to: CODED.address, units: 10n ** 8n, gas: 100_000n });
    const coded = await world.sign(CODED, transfer);
    expect(() => world.submit(coded)).toThrow(/is a contract \(EIP-3607\)/);
    await delegate(0);
    expect(world.account(BOB.address)?.isContract()).toBe(true);
    expect(await world.send(BOB, { to: ALICE.address, units: 1n })).toMatchObject({ status: 1 });
  });
});

describe('nonces', () => {
  it('with a gap wait until it is filled, and then all enter one block', async () => {
    world.submit(await world.sign(ALICE, { ...transfer, nonce: 2 }));
    world.submit(await world.sign(ALICE, { ...transfer, nonce: 1 }));
    expect(await world.mine()).toHaveLength(0);
    expect(getNonce(ALICE.address)).toBe(0n);
    world.submit(await world.sign(ALICE, { ...transfer, nonce: 0 }));
    expect(getNonce(ALICE.address)).toBe(3n);
    expect(await world.mine()).toHaveLength(3);
    expect(world.engine.pendingTransactions({ transactions: 10, bytes: 10_000 })).toHaveLength(0);
  });

  it('raised by an authorization: the transaction with the used nonce is dropped, the next is mined', async () => {
    const used = world.submit(await world.sign(BOB, { ...transfer, nonce: 0 }));
    const next = world.submit(await world.sign(BOB, { ...transfer, nonce: 1 }));
    await delegate(0);
    expect(world.engine.pendingTransaction(used)).toBeUndefined();
    expect(world.engine.pendingTransaction(next)).toBeDefined();
    expect(getNonce(BOB.address)).toBe(2n);
    expect(await world.mine()).toHaveLength(1);
    expect(world.reader.place(hexToBytes(next))).toMatchObject({ blockNumber: 2 });
  });

  it('raised by the sender itself have the same effect', async () => {
    const raw = await delegation(1, BOB);
    const used = world.submit(await world.sign(BOB, { ...transfer, nonce: 1, gasPrice: GWEI }));
    const next = world.submit(await world.sign(BOB, { ...transfer, nonce: 2, gasPrice: GWEI }));
    world.submit(raw);
    await world.mine();
    await world.mine();
    expect(world.engine.pendingTransaction(used)).toBeUndefined();
    expect(world.reader.place(hexToBytes(next))).not.toBeNull();
    expect(world.account(BOB.address)?.nonce).toBe(3n);
  });
});

describe('a transaction that the sender can no longer pay', () => {
  it('is dropped when it would run, and the block continues', async () => {
    // BOB's account delegates to code that sends its whole balance to its caller.
    const authorization = await BOB.signAuthorization({ chainId: CHAIN_ID, address: DRAIN, nonce: 0 });
    const delegating = await CAROL.signTransaction({
      type: 'eip7702',
      chainId: CHAIN_ID,
      nonce: 0,
      to: ALICE.address,
      gas: 100_000n,
      maxFeePerGas: GWEI,
      maxPriorityFeePerGas: GWEI / 2n,
      authorizationList: [authorization],
    });
    world.submit(delegating);
    await world.mine();
    const stuck = world.submit(await world.sign(BOB, { ...transfer, units: 1n, gasPrice: GWEI }));
    const other = world.submit(await world.sign(CAROL, { ...transfer, gasPrice: GWEI }));
    world.submit(await world.sign(ALICE, { to: BOB.address, gas: 100_000n, gasPrice: 5n * GWEI }));
    await world.mine();
    expect(world.balance(BOB.address)).toBe(0n);
    expect(world.engine.pendingTransaction(stuck)).toBeUndefined();
    expect(world.reader.place(hexToBytes(stuck))).toBeNull();
    expect(world.reader.place(hexToBytes(other))).not.toBeNull();
  });
});

describe('a block', () => {
  it('closes when its gas is used up; the rest is in the next block', async () => {
    const small = await EngineWorld.open({ blockGasLimit: 100_000n }, CONTRACTS);
    try {
      for (let i = 0; i < 7; i += 1) small.submit(await small.sign(ALICE, transfer));
      expect(await small.mine()).toHaveLength(4);
      expect(await small.mine()).toHaveLength(3);
    } finally {
      await small.close();
    }
  });

  it('accepts a transaction that fits after one that does not', async () => {
    const small = await EngineWorld.open({ blockGasLimit: 100_000n }, CONTRACTS);
    try {
      small.submit(await small.sign(ALICE, { ...transfer, gas: 60_000n, gasPrice: 3n * GWEI }));
      small.submit(await small.sign(CAROL, { ...transfer, gas: 90_000n, gasPrice: 2n * GWEI }));
      small.submit(await small.sign(BOB, { ...transfer, gasPrice: GWEI }));
      await small.mine();
      const senders = small.reader.transactions(1).map(({ sender }) => Buffer.from(sender).toString('hex'));
      expect(senders).toEqual([ALICE, BOB].map(({ address }) => address.slice(2).toLowerCase()));
      expect(await small.mine()).toHaveLength(1);
    } finally {
      await small.close();
    }
  });
});
