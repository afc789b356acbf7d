import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bytesToHex, concat, type Address } from 'viem';
import { LAZY_ACCOUNT_GAS } from '../../src/evm/fees.js';
import { estimateGas, simulate } from '../../src/simulation/simulate.js';
import { makeAccount, ALICE, BOB, CHAIN_ID, EngineWorld, GWEI, UNIT, WEALTH, type Draft } from '../engine-world.js';
import { assemble, deploying, CONTRACTS, FACTORY, FORWARD, STORE, TOKEN, TRANSFER_TOPIC, words } from '../contracts.js';

const NEW = makeAccount('new').address;
const OTHER = makeAccount('other').address;
const ZERO: Address = `0x${'00'.repeat(20)}`;

/** Sends one unit to each address in the calldata. */
const SPRAY: Address = `0x${'5b'.repeat(20)}`;
/** Pays the first address through FORWARD in a frame that reverts, and continues. */
const TAKES_BACK: Address = `0x${'7b'.repeat(20)}`;
/** Calls FORWARD with all received value, and reverts. */
const PAYS_AND_REVERTS: Address = `0x${'8b'.repeat(20)}`;
/** Emits a token event, and reverts. */
const TOKEN_REVERTS: Address = `0x${'9b'.repeat(20)}`;

const SPRAY_CODE = assemble(`
  0
  next: DUP1 CALLDATASIZE EQ @end JUMPI
  0 0 0 0 1 DUP6 CALLDATALOAD GAS CALL POP
  32 ADD @next JUMP
  end: STOP`);
const code = {
  ...CONTRACTS,
  [PAYS_AND_REVERTS]: assemble(
    `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 CALLVALUE ${FORWARD} GAS CALL POP 0 0 REVERT`,
  ),
  [TAKES_BACK]: assemble(
    `CALLDATASIZE 0 0 CALLDATACOPY 0 0 CALLDATASIZE 0 CALLVALUE ${PAYS_AND_REVERTS} GAS CALL POP STOP`,
  ),
  [TOKEN_REVERTS]: assemble(`0 CALLDATALOAD CALLER ${TRANSFER_TOPIC} 32 0 LOG3 0 0 REVERT`),
  [SPRAY]: SPRAY_CODE,
};

let world: EngineWorld;

beforeEach(async () => {
  world = await EngineWorld.open({}, code);
});

afterEach(async () => world.close());

async function estimate(draft: Draft): Promise<bigint> {
  return await estimateGas(world.evm, world.context(), world.request(ALICE.address, draft));
}

/**
 * Checks that a transaction succeeds with the estimated gas, and with less fails and costs only the fee.
 *
 * @param tooMuch how much the estimate can exceed the needed gas: a call with a value also needs its stipend.
 */
async function checkEstimate(draft: Draft, tooMuch = 1n): Promise<bigint> {
  const gas = await estimate(draft);
  const before = world.balance(ALICE.address);
  const less = gas - tooMuch;
  const poorer = await world.send(ALICE, { ...draft, gas: less });
  expect(poorer).toMatchObject({ status: 0, gasUsed: less, logs: [] });
  expect(world.balance(ALICE.address)).toBe(before - (less * GWEI + UNIT - 1n) / UNIT);
  const receipt = await world.send(ALICE, { ...draft, gas });
  expect(receipt.status).toBe(1);
  return gas;
}

describe('coin to an address that does not exist', () => {
  it('costs 587,000 gas, as estimated, and 21,000 afterwards', async () => {
    const draft = { to: NEW, units: 5n };
    expect(await checkEstimate(draft)).toBe(587_000n);
    expect(world.reader.receipt(2, 0)?.gasUsed).toBe(587_000n);
    expect(world.balance(NEW)).toBe(5n);
    expect(await estimate(draft)).toBe(21_000n);
    expect((await world.send(ALICE, { ...draft, gas: 21_000n })).gasUsed).toBe(21_000n);
    expect(world.balance(NEW)).toBe(10n);
  });

  it('fails with the gas of an ordinary transfer, without moving coin or creating an account', async () => {
    const receipt = await world.send(ALICE, { to: NEW, units: 5n, gas: 21_000n });
    expect(receipt).toMatchObject({ status: 0, gasUsed: 21_000n });
    expect(world.account(NEW)).toBeUndefined();
    expect(world.balance(ALICE.address)).toBe(WEALTH - 2_100n);
    expect(world.reader.calls(1, 0)).toMatchObject({ error: 'out of gas', output: '0x', gasUsed: 21_000n });
  });

  it('uses only the needed gas if given more', async () => {
    expect((await world.send(ALICE, { to: NEW, units: 5n, gas: 3_000_000n })).gasUsed).toBe(587_000n);
  });

  it('costs nothing extra without a value, and creates no account', async () => {
    expect(await checkEstimateOfNothing()).toBe(21_000n);
    expect(world.account(NEW)).toBeUndefined();
  });

  async function checkEstimateOfNothing(): Promise<bigint> {
    const gas = await estimate({ to: NEW });
    expect(await world.send(ALICE, { to: NEW, gas })).toMatchObject({ status: 1, gasUsed: gas });
    return gas;
  }

  it('by a contract costs the same extra', async () => {
    const gas = await checkEstimate({ to: FORWARD, units: 5n, data: words(NEW) }, 10_000n);
    expect(gas).toBeGreaterThan(587_000n);
    expect(gas).toBeLessThan(640_000n);
    expect(world.balance(NEW)).toBe(5n);
    expect(await estimate({ to: FORWARD, units: 5n, data: words(NEW) })).toBeLessThan(50_000n);
  });

  it('costs once for each of several accounts in one transaction, however often each is paid', async () => {
    await world.send(ALICE, { to: SPRAY, units: 100n });
    const aims = [0, 1, 2].map((index) => makeAccount(`spray ${index}`).address);
    const draft = { to: SPRAY, data: words(...aims, ...aims), gas: 3_000_000n };
    await checkEstimate({ to: SPRAY, data: draft.data }, 30_000n);
    const first = world.reader.receipt(world.head, 0)!;
    for (const aim of aims) expect(world.balance(aim)).toBe(2n);
    const again = await world.send(ALICE, draft);
    // In addition to the lazy accounts, the EVM's own price for creating each by a call.
    expect(first.gasUsed - again.gasUsed).toBe(3n * (LAZY_ACCOUNT_GAS + 25_000n));
  });

  it('is reverted with the frame that sent it, but not its gas', async () => {
    const receipt = await world.send(ALICE, { to: TAKES_BACK, units: 5n, data: words(NEW) });
    expect(receipt.status).toBe(1);
    expect(receipt.gasUsed).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(world.account(NEW)).toBeUndefined();
    expect(world.balance(TAKES_BACK)).toBe(5n);
  });

  it('is reverted with the whole transaction, but not its gas', async () => {
    const receipt = await world.send(ALICE, { to: PAYS_AND_REVERTS, units: 5n, data: words(NEW) });
    expect(receipt.status).toBe(0);
    expect(receipt.gasUsed).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(world.account(NEW)).toBeUndefined();
  });

  it('costs the extra even if a call without a value touched the address before', async () => {
    const data = concat([assemble(`0 0 0 0 0 ${NEW} GAS CALL POP 0 0 0 0 1 ${NEW} GAS CALL`), '0x00']);
    const receipt = await world.send(ALICE, { to: null, units: 5n, data, gas: 3_000_000n });
    expect(receipt).toMatchObject({ status: 1 });
    expect(receipt.gasUsed).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(world.balance(NEW)).toBe(1n);
  });

  it('costs the extra and creates no account if the contract lacks the coin', async () => {
    const data = concat([assemble(`0 0 0 0 9 ${NEW} GAS CALL`), '0x00']);
    const receipt = await world.send(ALICE, { to: null, units: 5n, data, gas: 3_000_000n });
    expect(receipt).toMatchObject({ status: 1 });
    expect(receipt.gasUsed).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(world.account(NEW)).toBeUndefined();
  });

  it('is measured by a contract around its payment', async () => {
    const measure = `GAS 0 0 0 0 1 ${NEW} GAS CALL POP GAS SWAP1 SUB`;
    const data = concat([assemble(`${measure} 0 SSTORE ${measure} 1 SSTORE`), '0x00']);
    const receipt = await world.send(ALICE, { to: null, units: 5n, data, gas: 3_000_000n });
    const contract = bytesToHex(receipt.contractAddress!);
    expect(world.slot(contract, 0n) - world.slot(contract, 1n)).toBe(LAZY_ACCOUNT_GAS + 25_000n + 2_500n);
  });

  it('fails in a call with the gas of an ordinary transfer, like the transaction', async () => {
    const request = world.request(ALICE.address, { to: NEW, units: 1n, gas: 21_000n });
    expect(await simulate(world.evm, world.context(), request)).toMatchObject({ status: 0, error: 'out of gas' });
    const enough = await simulate(world.evm, world.context(), { ...request, gas: 587_000n });
    expect(enough).toMatchObject({ status: 1, gasUsed: 587_000n });
  });

  it('by a contract that destroys itself in its constructor costs the extra for its heir', async () => {
    const draft = { to: null, units: 5n, data: assemble(`${NEW} SELFDESTRUCT`) };
    expect(await checkEstimate(draft)).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(world.balance(NEW)).toBe(5n);
  });
});

describe('a contract', () => {
  it('that is created pays nothing extra, with or without a value', async () => {
    const data = deploying('0x00');
    const top = await world.send(ALICE, { to: null, units: 5n, data });
    expect(top.gasUsed).toBeLessThan(60_000n);
    const nested = await world.send(ALICE, { to: FACTORY, units: 5n, data });
    expect(nested.status).toBe(1);
    expect(nested.gasUsed).toBeLessThan(80_000n);
  });

  it('that was not created for lack of lazy gas has that error in its call tree', async () => {
    const data = concat([assemble(`0 0 0 0 5 ${NEW} GAS CALL`), '0x00']);
    const receipt = await world.send(ALICE, { to: null, units: 5n, data, gas: 200_000n });
    expect(receipt).toMatchObject({ status: 0, gasUsed: 200_000n });
    expect(receipt.contractAddress).not.toBeNull();
    expect(world.reader.calls(1, 0)).toMatchObject({ type: 'CREATE', to: null, error: 'out of gas' });
  });
});

describe('tokens to an address that does not exist', () => {
  it('cost the extra, and the account exists afterwards', async () => {
    const gas = await checkEstimate({ to: TOKEN, data: words(NEW, 9n) });
    expect(gas).toBeGreaterThan(587_000n);
    expect(gas).toBeLessThan(600_000n);
    expect(world.account(NEW)).toMatchObject({ nonce: 0n, balance: 0n });
    expect(await estimate({ to: TOKEN, data: words(NEW, 9n) })).toBeLessThan(30_000n);
    expect(await estimate({ to: NEW, units: 1n })).toBe(21_000n);
  });

  it('cost nothing extra if they are burnt', async () => {
    expect((await world.send(ALICE, { to: TOKEN, data: words(ZERO, 9n) })).gasUsed).toBeLessThan(30_000n);
    expect(world.account(ZERO)).toBeUndefined();
  });

  it('create no account if the event is reverted', async () => {
    const receipt = await world.send(ALICE, { to: TOKEN_REVERTS, data: words(NEW) });
    expect(receipt).toMatchObject({ status: 0, logs: [] });
    expect(receipt.gasUsed).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(world.account(NEW)).toBeUndefined();
    const nested = await world.send(ALICE, { to: FORWARD, data: words(TOKEN_REVERTS, NEW) });
    expect(nested).toMatchObject({ status: 1, logs: [] });
    expect(world.account(NEW)).toBeUndefined();
  });

  it('and coin for the same address cost the extra once', async () => {
    const both = concat([assemble(`0 0 0 0 1 ${NEW} GAS CALL POP ${NEW} CALLER ${TRANSFER_TOPIC} 32 0 LOG3`), '0x00']);
    const receipt = await world.send(ALICE, { to: null, units: 5n, data: both, gas: 3_000_000n });
    expect(receipt).toMatchObject({ status: 1 });
    expect(receipt.gasUsed).toBeGreaterThan(LAZY_ACCOUNT_GAS);
    expect(receipt.gasUsed).toBeLessThan(2n * LAZY_ACCOUNT_GAS);
  });
});

describe('two transactions of one block', () => {
  it('to the same new address: the first creates it, the second pays 21,000', async () => {
    for (const [from, price] of [
      [ALICE, 5n * GWEI],
      [BOB, GWEI],
    ] as const) {
      world.submit(await world.sign(from, { to: NEW, units: 1n, gas: 700_000n, gasPrice: price }));
    }
    world.submit(await world.sign(BOB, { to: OTHER, units: 1n, gas: 700_000n }));
    expect((await world.mine()).map(({ gasUsed }) => gasUsed)).toEqual([587_000n, 21_000n, 587_000n]);
  });
});

describe('lack of gas for a lazy account in a set-code transaction', () => {
  it('leaves the delegations in place, and refunds the gas that they overpaid', async () => {
    const authority = BOB;
    const authorization = await authority.signAuthorization({ chainId: CHAIN_ID, address: STORE, nonce: 0 });
    const raw = await ALICE.signTransaction({
      type: 'eip7702',
      chainId: CHAIN_ID,
      nonce: 0,
      to: FORWARD,
      value: UNIT,
      data: words(NEW),
      gas: 200_000n,
      maxFeePerGas: GWEI,
      maxPriorityFeePerGas: GWEI / 2n,
      authorizationList: [authorization],
    });
    world.submit(raw);
    const [receipt] = await world.mine();
    expect(receipt).toMatchObject({ status: 0, gasUsed: 187_500n });
    expect(world.account(authority.address)?.isContract()).toBe(true);
    expect(world.account(NEW)).toBeUndefined();
  });
});
