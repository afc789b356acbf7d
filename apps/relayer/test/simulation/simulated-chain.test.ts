import { broadcast, laneChain, readVerifiedBlock, simulate } from '@causeway/chain';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { describe, expect, it } from '@jest/globals';
import { concatHex, encodeFunctionData, padHex, parseEther, zeroAddress, type Address, type Hex } from 'viem';
import { readSignatureState } from '../../src/stages/intent-signature.js';
import { BOOK, ROLES, send } from '../../simulation/bridge.ts';
import { simulatedMirrors, SimulatedMirror } from '../../simulation/chain/mirror.ts';
import { PoolError } from '../../simulation/chain/pool.ts';
import { smartAccountAbi, smartSignature } from '../../simulation/environment/accounts.ts';
import { FORWARDER, personAt } from '../../simulation/environment/people.ts';
import { alice, setUp } from './setup.ts';

// Simulated chains, read and written by the relayer's own code.

const { bridgeLock } = BOOK.ethereum;
const { relayer } = ROLES;
const { smartAccount: ACCOUNT } = personAt(0);
const transfer = { to: zeroAddress, gas: 21_000n } as const;

describe('blocks', () => {
  it("pass the reader's verification: logs, plain payments and failed transactions", async () => {
    const { chain, mine, connection, deposit } = setUp();
    deposit();
    send(chain, alice, { to: relayer.address, value: 7n });
    deposit(0n);
    await mine();
    expect(chain.head.mined.map(({ succeeded }) => succeeded)).toEqual([true, true, false]);
    const watch = { contracts: [bridgeLock], receivers: [relayer.address] };
    expect(await readVerifiedBlock(connection.client, BigInt(chain.head.number), watch)).toMatchObject({
      hash: chain.head.hash,
      logs: [{ address: bridgeLock }],
      transfers: [{ from: alice.address, value: 7n }],
    });
  });

  it.each(['ethereum', 'partner'] as const)('are read by the relayer as usual: %s', async (side) => {
    const { chain, mine, catchUp, stored, deposit } = setUp(side);
    for (let index = 0; index < 5; index += 1) {
      await mine(5);
      if (side === 'ethereum') deposit();
      else send(chain, alice, { to: relayer.address, value: parseEther('1') });
    }
    await mine();
    await catchUp();
    expect(stored.hashes.get(BigInt(chain.head.number))).toBe(chain.head.hash);
    expect(side === 'ethereum' ? stored.deposits : BigInt(stored.payments.length)).toBe(5n);
  });

  it('change with a reorg, which the reader follows', async () => {
    const { chain, mine, catchUp, stored, deposit } = setUp();
    await mine(3);
    deposit();
    await mine(2);
    await catchUp();
    chain.reorg(2);
    await mine(3);
    expect(await catchUp()).toContainEqual(expect.objectContaining({ kind: 'reorg', ancestor: 4n }));
    expect(stored.hashes.get(7n)).toBe(chain.head.hash);
    expect(chain.pool.all()).toHaveLength(0);
  });

  it('restore the state before a removed block, and forget transactions that do not return', async () => {
    const { chain, mine, deposit } = setUp();
    const before = chain.balanceAt(alice.address, 1);
    deposit();
    await mine();
    expect(chain.balanceAt(alice.address, 2)).toBeLessThan(before);
    expect(chain.balanceAt(alice.address, 1)).toBe(before);
    chain.reorg(1, () => false);
    await mine();
    expect(chain.balanceAt(alice.address, 2)).toBe(before);
    expect(chain.nonceAt(alice.address, 2)).toBe(0);
  });
});

describe('the pool', () => {
  it('keeps a transaction after a nonce gap pending, and replaces one for 10 % more', async () => {
    const { chain, mine } = setUp();
    const fees = (perGas: bigint) => ({ maxFeePerGas: perGas, maxPriorityFeePerGas: perGas });
    const first = { ...transfer, nonce: 1 };
    send(chain, alice, { ...first, ...fees(3n * 10n ** 9n) });
    await mine();
    expect(chain.head.mined).toHaveLength(0);
    expect(() => send(chain, alice, { ...first, ...fees(3_299_999_999n) })).toThrow(PoolError);
    const replacement = send(chain, alice, { ...first, ...fees(3_300_000_000n) });
    const gap = send(chain, alice, { ...transfer, nonce: 0 });
    await mine();
    expect(chain.head.mined.map(({ transaction }) => transaction.hash)).toEqual([gap, replacement]);
    expect(() => send(chain, alice, { ...transfer, nonce: 1 })).toThrow('nonce too low');
  });

  it('keeps transactions that cannot pay the base fee, and drops some on request', async () => {
    const { chain, mine } = setUp();
    send(chain, alice, { ...transfer, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n });
    chain.baseFeePerGas = 2n * 10n ** 9n;
    await mine();
    expect(chain.pool.all()).toHaveLength(1);
    chain.pool.drop(() => true);
    chain.baseFeePerGas = 1n;
    await mine();
    expect(chain.head.mined).toHaveLength(0);
  });
});

describe('the wallet of the relayer', () => {
  it('reads the market, sends, and finds its receipt', async () => {
    const { chain, mine, connection } = setUp();
    const lane = laneChain(connection, relayer.address);
    await mine(3);
    expect(await lane.market()).toEqual({ baseFeePerGas: chain.baseFeePerGas, priorityFeePerGas: chain.tip });
    const head = await lane.head();
    const [nonce, balance] = [await lane.nonceAt(head), await lane.balanceAt(head)];
    const { raw, hash } = relayer.sign({
      chainId: chain.input.chainId,
      nonce: Number(nonce),
      to: alice.address,
      value: 5n,
      input: '0x',
      gas: 21_000n,
      maxFeePerGas: 2n * chain.baseFeePerGas,
      maxPriorityFeePerGas: chain.tip,
    });
    expect(await lane.broadcast(raw)).toEqual({ kind: 'accepted' });
    expect(await broadcast(connection.client, raw)).toEqual({ kind: 'known' });
    expect(await lane.receipt(hash)).toBeNull();
    await mine();
    const receipt = await lane.receipt(hash);
    expect(receipt).toMatchObject({ status: 'success', block: { hash: chain.head.hash } });
    expect(await lane.nonceAt(await lane.head())).toBe(nonce + 1n);
    expect(await lane.balanceAt(await lane.head())).toBe(balance - 5n - (receipt?.feePaid ?? 0n));
  });

  it('simulates after the pending transactions, and reads why a call reverts', async () => {
    const { chain, mine, connection, deposit } = setUp();
    deposit(parseEther('5'));
    const args = [3n, alice.address, parseEther('5'), 0n] as const;
    const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseNative', args });
    const call = { from: relayer.address, to: bridgeLock, data, value: 0n };
    const tried = () => simulate(connection.client, call, bridgeLockAbi);
    expect(await tried()).toMatchObject({ kind: 'ok' });
    send(chain, relayer, { to: bridgeLock, data });
    expect(await tried()).toMatchObject({ kind: 'reverted', errorName: 'AlreadyDelivered' });
    await mine();
    expect(chain.head.mined.every(({ succeeded }) => succeeded)).toBe(true);
  });
});

describe('coin of the partner chain', () => {
  const { bridgeMint } = BOOK.partner;
  const topUp = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'topUp' });
  const mint = (nonce: bigint, to: Address, amount: bigint) =>
    encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mint', args: [nonce, zeroAddress, to, amount] });

  it('has 18 decimals outside the EVM and 8 inside', async () => {
    const { chain, mine, connection } = setUp('partner');
    const recipient: Address = `0x${'7e'.repeat(20)}`;
    const amount = parseEther('2') + 10n ** 10n;
    send(chain, alice, { to: bridgeMint, data: topUp, value: parseEther('5') });
    await mine();
    send(chain, relayer, { to: bridgeMint, data: mint(0n, recipient, amount) });
    send(chain, relayer, { to: bridgeMint, data: mint(1n, recipient, 1n) });
    await mine();
    expect(chain.head.mined.map(({ succeeded }) => succeeded)).toEqual([true, false]);
    expect(chain.balanceAt(recipient, chain.head.number)).toBe(amount);
    const float = { address: bridgeMint, abi: bridgeMintAbi, functionName: 'float' } as const;
    expect(await connection.client.readContract(float)).toBe(parseEther('5') - amount);
    expect(() => send(chain, alice, { to: bridgeMint, data: topUp, value: 1n })).toThrow('not a multiple');
  });
});

describe('the signature of an intent', () => {
  it('is checked by the code of a smart account, which can revoke it', async () => {
    const { chain, mine, connection } = setUp('partner');
    const id = padHex('0x1d', { size: 32 });
    const readState = (sender: Address, signature: Hex) =>
      readSignatureState(connection, { id, sender }, { signature });
    expect(await readState(alice.address, alice.signDigest(id))).toBe('valid');
    expect(await readState(ACCOUNT, smartSignature(id, 1))).toBe('revoked');
    expect(await readState(ACCOUNT, smartSignature(id))).toBe('valid');
    send(chain, alice, {
      to: ACCOUNT,
      data: encodeFunctionData({ abi: smartAccountAbi, functionName: 'revokeSignatures' }),
    });
    await mine();
    expect(await readState(ACCOUNT, smartSignature(id))).toBe('revoked');
  });
});

describe('a mirror', () => {
  it('shows a payment inside a transaction, once it has that transaction', async () => {
    const { chain, mine } = setUp('partner');
    const memo = padHex('0x77', { size: 32 });
    const data = concatHex([padHex(relayer.address, { size: 32 }), memo]);
    const hash = send(chain, alice, { to: FORWARDER, data, value: parseEther('2') });
    await mine();
    const mirrors = ['x', 'y', 'z'].map((name) => new SimulatedMirror(name, chain));
    const mirror = simulatedMirrors(mirrors, async (_, work) => work());
    const found = {
      kind: 'found',
      transfers: [{ callIndex: 1, payer: FORWARDER, wallet: relayer.address, amount: parseEther('2'), memo }],
    };
    expect(await mirror.transfersIn(hash, [relayer.address])).toEqual(found);
    const [first, second] = mirrors;
    if (first === undefined || second === undefined) throw new Error('There are three');
    first.faults = { ...first.faults, lie: () => [] };
    expect(await mirror.transfersIn(hash, [relayer.address])).toEqual(found);
    second.faults = { ...second.faults, lagBlocks: 1 };
    expect(await mirror.transfersIn(hash, [relayer.address])).toMatchObject({ kind: 'missing' });
    second.faults = { ...second.faults, isAway: true };
    await expect(mirror.transfersIn(hash, [relayer.address])).rejects.toThrow('do not answer');
  });
});
