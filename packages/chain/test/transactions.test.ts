import { bridgeLockAbi, testUsdcAbi } from '@causeway/protocol/abi';
import { RpcRefusal, startAnvil, testAccount, testKey, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createPublicClient,
  encodeErrorResult,
  encodeFunctionData,
  http,
  numberToHex,
  parseGwei,
  size,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { broadcast, localSigner, signTransaction, simulate } from '../src/index.js';
import { readMarket } from '../src/wallet/fees.js';
import { deployTestToken } from './deploy-test-token.js';
import { withLyingNode, type Json, type Lie } from './lying-node.js';

const CHAIN_ID = 31_337;
const account = testAccount(0);
const signer = localSigner(testKey(0));
const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') };
const recipient: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

let anvil: Anvil;
let client: PublicClient;

beforeAll(async () => {
  anvil = await startAnvil({ manualMining: true });
  client = createPublicClient({ transport: http(anvil.url, { retryCount: 0 }), cacheTime: 0 });
});
afterAll(async () => anvil?.stop());

async function signed(
  over: Partial<{ nonce: bigint; value: bigint; fee: bigint; tip: bigint; from: typeof signer }> = {},
) {
  const nonce =
    over.nonce ?? BigInt(await client.getTransactionCount({ address: account.address, blockTag: 'pending' }));
  const call = { to: recipient, data: '0x', value: over.value ?? 1n } as const;
  const maxFeePerGas = over.fee ?? fees.maxFeePerGas;
  const maxPriorityFeePerGas = over.tip ?? fees.maxPriorityFeePerGas;
  const terms = { maxFeePerGas, maxPriorityFeePerGas, nonce, gas: 21_000n };
  return signTransaction(over.from ?? signer, CHAIN_ID, call, terms);
}

function refusing(code: number, message: string): Lie {
  return (method, result) => {
    if (method === 'eth_sendRawTransaction') throw new RpcRefusal(code, message);
    return result;
  };
}

/** Deploys a contract that reverts every call with these bytes. */
async function deployReverting(data: Hex): Promise<Address> {
  const address: Address = '0x00000000000000000000000000000000000000c1';
  const length = numberToHex(size(data), { size: 2 }).slice(2);
  // CODECOPY the bytes after these 14 into memory, and REVERT with them.
  await anvil.test.setCode({
    address,
    bytecode: `0x61${length}600e600039`.concat(`61${length}6000fd`, data.slice(2)) as Hex,
  });
  return address;
}
const solidityError = [{ type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] }] as const;

describe('broadcast', () => {
  it('returns accepted first, then known while pending and when mined', async () => {
    const { raw, hash } = await signed();
    expect(await broadcast(client, raw)).toEqual({ kind: 'accepted' });
    expect(await broadcast(client, raw)).toEqual({ kind: 'known' });
    await anvil.test.mine({ blocks: 1 });
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success');
    expect(await broadcast(client, raw)).toEqual({ kind: 'known' });
  });

  it('returns nonce-used if another transaction used the nonce', async () => {
    const first = await signed();
    await broadcast(client, first.raw);
    await anvil.test.mine({ blocks: 1 });
    const second = await signed({ nonce: first.nonce, value: 7n });
    expect(await broadcast(client, second.raw)).toEqual({ kind: 'nonce-used' });
  });

  it('returns underpriced below the base fee', async () => {
    const { raw } = await signed({ fee: 1n, tip: 1n });
    expect(await broadcast(client, raw)).toEqual({ kind: 'underpriced' });
  });

  it.each<[string, Lie]>([
    ['answers with another hash', (_, result) => (typeof result === 'string' ? `0x${'11'.repeat(32)}` : result)],
    ['limits requests', refusing(-32005, 'Too Many Requests')],
    ['has an internal error', refusing(-32603, 'Internal error')],
  ])('returns unreachable if the node %s', async (_, lie) => {
    const { raw } = await signed();
    const result = await withLyingNode(anvil.url, lie, (url) =>
      broadcast(createPublicClient({ transport: http(url, { retryCount: 0 }) }), raw),
    );
    expect(result).toMatchObject({ kind: 'unreachable' });
    await anvil.test.mine({ blocks: 1 });
  });

  it('returns underpriced for a replacement with too low fees', async () => {
    const first = await signed();
    await broadcast(client, first.raw);
    const second = await signed({ nonce: first.nonce, value: 2n });
    expect(await broadcast(client, second.raw)).toEqual({ kind: 'underpriced' });
    await anvil.test.mine({ blocks: 1 });
  });

  it('returns insufficient-funds for an empty wallet', async () => {
    const { raw } = await signed({ from: localSigner(generatePrivateKey()), nonce: 0n });
    expect(await broadcast(client, raw)).toEqual({ kind: 'insufficient-funds' });
  });

  it('returns unreachable if no node answers', async () => {
    const dead = createPublicClient({ transport: http('http://127.0.0.1:9', { retryCount: 0 }) });
    expect(await broadcast(dead, (await signed()).raw)).toMatchObject({ kind: 'unreachable' });
  });

  it('returns refused for bytes that are not a transaction', async () => {
    expect(await broadcast(client, '0x02ff')).toMatchObject({ kind: 'refused' });
  });
});

describe('simulate', () => {
  const abi = [...testUsdcAbi, ...bridgeLockAbi] as Abi;

  it('returns the estimated gas plus a fifth', async () => {
    const result = await simulate(client, { from: account.address, to: recipient, data: '0x', value: 1n }, abi);
    expect(result).toEqual({ kind: 'ok', gas: 25_200n, returned: '0x' });
  });

  it('names the custom error of a revert', async () => {
    const token = await deployTestToken(anvil);
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [recipient, 1n] });
    const result = await simulate(client, { from: recipient, to: token, data, value: 0n }, abi);
    expect(result).toMatchObject({ kind: 'reverted', errorName: 'ERC20InsufficientBalance' });
    expect(result).toHaveProperty('data', expect.stringMatching(/^0xe450d38c/));
  });

  it('returns the selector of an error that is not in the ABI', async () => {
    const token = await deployTestToken(anvil);
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [recipient, 1n] });
    const result = await simulate(client, { from: recipient, to: token, data, value: 0n }, []);
    expect(result).toMatchObject({ kind: 'reverted', errorName: '0xe450d38c' });
  });

  it('does not treat the message of a contract as an empty wallet', async () => {
    const words = 'ERC20: transfer amount exceeds balance';
    const to = await deployReverting(encodeErrorResult({ abi: solidityError, errorName: 'Error', args: [words] }));
    const result = await simulate(client, { from: account.address, to, data: '0x', value: 0n }, abi);
    expect(result).toMatchObject({ kind: 'reverted', errorName: 'Error', reason: words });
  });

  it('treats a revert without data as a revert', async () => {
    const to = await deployReverting('0x');
    const result = await simulate(client, { from: account.address, to, data: '0x', value: 0n }, abi);
    expect(result).toMatchObject({ kind: 'reverted', errorName: expect.stringMatching(/revert/i) });
  });

  it.each<[string, RpcRefusal, object]>([
    ['that limits requests', new RpcRefusal(-32005, 'rate limit exceeded'), { kind: 'unreachable' }],
    ['with an internal error', new RpcRefusal(-32603, 'Internal error'), { kind: 'unreachable' }],
    ['that lacks state', new RpcRefusal(-32002, 'Resource unavailable'), { kind: 'unreachable' }],
    ['that wraps data', new RpcRefusal(-32603, 'reverted', { data: '0xe450d38c' }), { errorName: '0xe450d38c' }],
    ['that wraps data in text', new RpcRefusal(-32015, 'VM error', 'Reverted 0xe450d38c'), { errorName: '0xe450d38c' }],
    ['that sends only a message', new RpcRefusal(3, 'execution reverted'), { errorName: 'execution reverted' }],
    [
      'that sends the message of a contract without data',
      new RpcRefusal(3, 'execution reverted: ERC20: transfer amount exceeds balance'),
      { kind: 'reverted' },
    ],
    [
      'that includes the gas in the balance check',
      new RpcRefusal(-32000, 'insufficient funds for gas * price + value'),
      { kind: 'insufficient-funds' },
    ],
  ])('classifies the error of a node %s', async (_, refusal, expected) => {
    const lie = (method: string, result: Json) => {
      if (method === 'eth_estimateGas') throw refusal;
      return result;
    };
    const result = await withLyingNode(anvil.url, lie, (url) => {
      const lied = createPublicClient({ transport: http(url, { retryCount: 0 }) });
      return simulate(lied, { from: account.address, to: recipient, data: '0x', value: 1n }, []);
    });
    expect(result).toMatchObject(expected);
  });

  it('distinguishes an empty wallet from a revert', async () => {
    const call = { from: localSigner(generatePrivateKey()).address, to: recipient, data: '0x01', value: 1n } as const;
    expect(await simulate(client, call, abi)).toEqual({ kind: 'insufficient-funds' });
  });

  it('distinguishes a dead node from both', async () => {
    const dead = createPublicClient({ transport: http('http://127.0.0.1:9', { retryCount: 0 }) });
    expect(await simulate(dead, { from: recipient, to: recipient, data: '0x', value: 0n }, abi)).toMatchObject({
      kind: 'unreachable',
    });
  });
});

describe('the fee market', () => {
  it('is the base fee of the next block and the tip of recent blocks', async () => {
    await anvil.test.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('5') });
    const { raw } = await signed({ fee: parseGwei('50'), tip: parseGwei('3') });
    expect(await broadcast(client, raw)).toEqual({ kind: 'accepted' });
    await anvil.test.mine({ blocks: 1 });
    const { baseFeePerGas, priorityFeePerGas } = await readMarket(client);
    expect(priorityFeePerGas).toBeGreaterThan(0n);
    const next = await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] });
    expect(baseFeePerGas).toBe(next.baseFeePerGas.at(-1));
  });

  it("has the node's suggested tip while blocks are empty", async () => {
    await anvil.test.mine({ blocks: 10 });
    expect((await readMarket(client)).priorityFeePerGas).toBe(await client.estimateMaxPriorityFeePerGas());
  });
});
