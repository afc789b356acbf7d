import { describe, expect, it } from '@jest/globals';
import { BrowserProvider, Wallet as EthersWallet } from 'ethers';
import type { ConfigResponse } from '@causeway/protocol';
import { bridgeErrorsAbi } from '@causeway/protocol/abi';
import {
  createWalletClient,
  custom,
  encodeErrorResult,
  keccak256,
  numberToHex,
  parseEther,
  parseTransaction,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { connectBridge, deposit, fromViem, type Wallet } from '../src/index.js';
import { fromEthers } from '../src/ethers.js';
import { makeAnswer, makeQuote } from './api-server.js';

// A transaction of a key, by nodes that fill it with one call and by nodes that do not.

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const BLOCK = { number: '0x10', timestamp: '0x10', hash: HASH, parentHash: HASH, nonce: '0x', difficulty: '0x0' };
const FULL_BLOCK = {
  ...BLOCK,
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  miner: `0x${'1'.repeat(40)}`,
  extraData: '0x',
  transactions: [],
};
const PAUSED = encodeErrorResult({ abi: bridgeErrorsAbi, errorName: 'Paused' });
const config = makeAnswer<ConfigResponse>('getConfig');
const quote = makeQuote({ token: 'ETH', amount: '0.5', direction: 'ETHEREUM_TO_PARTNER' });
const answers: Readonly<Record<string, object>> = { config, 'fee-quote': quote };
const bridge = connectBridge({
  apiUrl: 'http://bridge.example/api/v1',
  fetch: async (input) =>
    new Response(JSON.stringify(answers[new URL(input as string).pathname.replace('/api/v1/bridge/', '')])),
});
const key = generatePrivateKey();
const account = privateKeyToAccount(key);

/** A node on which nothing waits. It fills transactions unless `fills` is false. */
class Node {
  readonly calls: string[] = [];
  sent: Hex = '0x';

  constructor(
    private readonly fills: boolean,
    private readonly reverts = false,
    /** Answers in place of those of an honest node, once the transfer is checked. */
    private readonly lies: Readonly<Record<string, unknown>> = {},
  ) {}

  readonly request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    this.calls.push(method);
    const [parameter] = (params ?? []) as unknown[];
    const isJudged = method === 'eth_fillTransaction' || method === 'eth_estimateGas';
    if (method === 'eth_fillTransaction' && !this.fills) throw Object.assign(new Error('unknown'), { code: -32_601 });
    if (isJudged && this.reverts) throw Object.assign(new Error('execution reverted'), { code: 3, data: PAUSED });
    if (method === 'eth_sendRawTransaction') this.sent = parameter as Hex;
    const isChecked = this.calls.includes('eth_getBalance');
    if (isChecked && method in this.lies) return this.lies[method];
    const filled = { gas: '0xc350', nonce: '0x7', maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x1', type: '0x2' };
    return {
      eth_chainId: numberToHex(config.ethereum.chainId),
      eth_blockNumber: '0x10',
      eth_getBlockByNumber: { ...FULL_BLOCK, baseFeePerGas: '0x32' },
      eth_getBalance: numberToHex(parseEther('9')),
      eth_fillTransaction: { raw: '0x', tx: { ...(parameter as object), ...filled, input: '0x' } },
      eth_estimateGas: '0xc350',
      eth_maxPriorityFeePerGas: '0x1',
      eth_getTransactionCount: '0x7',
      eth_sendRawTransaction: keccak256(this.sent),
      eth_getTransactionReceipt: {
        transactionHash: keccak256(this.sent),
        blockNumber: '0x10',
        status: '0x0',
        logs: [],
      },
      eth_getLogs: [],
    }[method];
  };

  async open(kind: string): Promise<Wallet> {
    if (kind === 'ethers') return fromEthers(new EthersWallet(key, new BrowserProvider(this)));
    return fromViem(createWalletClient({ account, transport: custom(this, { retryCount: 0 }) }));
  }

  async deposit(kind = 'viem'): Promise<unknown> {
    const wallet = await this.open(kind);
    const terms = { asset: 'ETH', amount: '0.5', recipient: account.address };
    return deposit(bridge, wallet, terms).catch((error: unknown) => error);
  }
}

describe.each([
  ['fills transactions', true, ['eth_fillTransaction']],
  ['does not', false, ['eth_fillTransaction', 'eth_getBlockByNumber', 'eth_maxPriorityFeePerGas', 'eth_estimateGas']],
])('a node that %s', (_, fills, asked) => {
  it('is asked for nonce, gas and fees one time, and gas has a margin', async () => {
    const node = new Node(fills);
    expect(await node.deposit()).toMatchObject({ name: 'TransactionFailedError', reason: 'REVERTED' });
    const { nonce, gas, maxPriorityFeePerGas } = parseTransaction(node.sent);
    expect({ nonce, gas, maxPriorityFeePerGas }).toEqual({ nonce: 7, gas: 65_000n, maxPriorityFeePerGas: 1n });
    const between = node.calls.slice(3, node.calls.indexOf('eth_sendRawTransaction'));
    expect(between.filter((method) => method !== 'eth_getTransactionCount').toSorted()).toEqual(asked.toSorted());
  });

  it('names the error of the contract, and nothing is sent', async () => {
    const node = new Node(fills, true);
    expect(await node.deposit()).toMatchObject({ name: 'ContractError', errorName: 'Paused', retry: { helps: false } });
    expect(node.calls).not.toContain('eth_sendRawTransaction');
  });
});

describe.each(['viem', 'ethers'])('a node of a key of %s', (kind) => {
  const dear = '0x174876e80000';

  it('is paid for gas what it takes', async () => {
    const node = new Node(false);
    expect(await node.deposit(kind)).toMatchObject({ name: 'TransactionFailedError', reason: 'REVERTED' });
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(node.sent);
    expect(gas * maxFeePerGas).toBeLessThan(10n ** 16n);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['a gas limit of a whole block', { eth_estimateGas: '0x1c9c380' }],
    ['a high base fee', { eth_getBlockByNumber: { ...FULL_BLOCK, baseFeePerGas: dear } }],
    ['a high tip', { eth_maxPriorityFeePerGas: dear }],
    ['a high price without a base fee', { eth_getBlockByNumber: FULL_BLOCK, eth_gasPrice: dear }],
  ])('gets no signature for %s', async (_, lies) => {
    const node = new Node(false, false, lies);
    expect(await node.deposit(kind)).toMatchObject({ name: 'CheckError', findings: [{ code: 'GAS_TOO_HIGH' }] });
    expect(node.sent).toBe('0x');
  });
});

it('a node that fills transactions gets no signature for another chain or a high fee', async () => {
  const filled = { gas: '0xc350', nonce: '0x7', type: '0x2', chainId: '0x1', input: '0x' };
  const fees = { maxFeePerGas: '0x174876e80000', maxPriorityFeePerGas: '0x1' };
  const greedy = new Node(true, false, { eth_fillTransaction: { raw: '0x', tx: { ...filled, ...fees } } });
  expect(await greedy.deposit()).toMatchObject({ findings: [{ code: 'GAS_TOO_HIGH' }] });
  const elsewhere = new Node(true, false, { eth_fillTransaction: { raw: '0x', tx: filled } });
  await elsewhere.deposit();
  expect([greedy.sent, parseTransaction(elsewhere.sent).chainId]).toEqual(['0x', config.ethereum.chainId]);
});
