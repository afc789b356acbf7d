import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bridgeLockAbi, testUsdcAbi } from '@causeway/protocol/abi';
import {
  createPublicClient,
  encodeFunctionData,
  http,
  parseGwei,
  type Abi,
  type Address,
  type PublicClient,
} from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import {
  broadcast,
  connectChain,
  estimateFees,
  FeeCapError,
  localSigner,
  signTransaction,
  simulate,
  WrongChainError,
} from '../src/index.js';
import { deployTestToken } from './deploy-test-token.js';
import { account, CHAIN_ID, startAnvil, type Anvil } from './start-anvil.js';

const signer = localSigner('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') };
const nobody: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

let anvil: Anvil;
let client: PublicClient;

beforeAll(async () => {
  anvil = await startAnvil();
  client = createPublicClient({ transport: http(anvil.url, { retryCount: 0 }), cacheTime: 0 });
}, 30_000);
afterAll(async () => anvil.stop());

async function signed(over: Partial<{ nonce: bigint; value: bigint; fee: bigint; from: typeof signer }> = {}) {
  const nonce =
    over.nonce ?? BigInt(await client.getTransactionCount({ address: account.address, blockTag: 'pending' }));
  const call = { to: nobody, data: '0x', value: over.value ?? 1n } as const;
  const maxFeePerGas = over.fee ?? fees.maxFeePerGas;
  return signTransaction(over.from ?? signer, CHAIN_ID, call, { ...fees, maxFeePerGas, nonce, gas: 21_000n });
}

describe('broadcast', () => {
  it('says accepted, known while pending, and that the nonce is used when mined', async () => {
    const { raw, hash } = await signed();
    expect(await broadcast(client, raw)).toEqual({ kind: 'accepted' });
    expect(await broadcast(client, raw)).toEqual({ kind: 'known' });
    await anvil.test.mine({ blocks: 1 });
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success');
    expect((await broadcast(client, raw)).kind).toMatch(/^(known|nonce-used)$/);
  });

  it('says that a replacement pays too little', async () => {
    const first = await signed();
    await broadcast(client, first.raw);
    const second = await signed({ nonce: first.nonce, value: 2n });
    expect(await broadcast(client, second.raw)).toEqual({ kind: 'underpriced' });
    await anvil.test.mine({ blocks: 1 });
  });

  it('says that the wallet is empty', async () => {
    const { raw } = await signed({ from: localSigner(generatePrivateKey()), nonce: 0n });
    expect(await broadcast(client, raw)).toEqual({ kind: 'insufficient-funds' });
  });

  it('says that nobody answered', async () => {
    const dead = createPublicClient({ transport: http('http://127.0.0.1:9', { retryCount: 0 }) });
    expect(await broadcast(dead, (await signed()).raw)).toMatchObject({ kind: 'unreachable' });
  });

  it('says that the node refuses what is no transaction', async () => {
    expect(await broadcast(client, '0x02ff')).toMatchObject({ kind: 'refused' });
  });
});

describe('simulate', () => {
  const abi = [...testUsdcAbi, ...bridgeLockAbi] as Abi;

  it('tells the gas, with some to spare', async () => {
    const result = await simulate(client, { from: account.address, to: nobody, data: '0x', value: 1n }, abi);
    expect(result).toEqual({ kind: 'ok', gas: 25_200n });
  });

  it('names the custom error of a revert', async () => {
    const token = await deployTestToken(anvil);
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [nobody, 1n] });
    const result = await simulate(client, { from: nobody, to: token, data, value: 0n }, abi);
    expect(result).toEqual({ kind: 'reverted', errorName: 'ERC20InsufficientBalance' });
  });

  it('tells an empty wallet from a revert', async () => {
    const call = { from: localSigner(generatePrivateKey()).address, to: nobody, data: '0x01', value: 1n } as const;
    expect(await simulate(client, call, abi)).toEqual({ kind: 'insufficient-funds' });
  });

  it('tells a dead node from both', async () => {
    const dead = createPublicClient({ transport: http('http://127.0.0.1:9', { retryCount: 0 }) });
    expect(await simulate(dead, { from: nobody, to: nobody, data: '0x', value: 0n }, abi)).toMatchObject({
      kind: 'unreachable',
    });
  });
});

describe('estimateFees', () => {
  it('stays under the cap, or says that it cannot', async () => {
    expect((await estimateFees(client, parseGwei('3'))).maxFeePerGas).toBeLessThanOrEqual(parseGwei('3'));
    await expect(estimateFees(client, 0n)).rejects.toThrow(FeeCapError);
  });
});

describe('connectChain', () => {
  it('accepts the right chain and names the node of a wrong one', async () => {
    await expect(
      connectChain({ name: 'right', chainId: CHAIN_ID, urls: [anvil.url] }).assertChainId(),
    ).resolves.toBeUndefined();
    const wrong = connectChain({ name: 'wrong', chainId: 1, urls: [anvil.url] });
    await expect(wrong.assertChainId()).rejects.toThrow(WrongChainError);
    expect(await wrong.ping()).toBeGreaterThanOrEqual(0);
  });

  it('asks the next node when one is dead', async () => {
    const { client: both } = connectChain({ name: 'both', chainId: CHAIN_ID, urls: ['http://127.0.0.1:9', anvil.url] });
    expect(await both.getBlockNumber()).toBeGreaterThanOrEqual(0n);
  });
});
