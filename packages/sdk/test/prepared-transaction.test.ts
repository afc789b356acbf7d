import { describe, expect, it } from '@jest/globals';
import type { ConfigResponse } from '@causeway/protocol';
import { bridgeErrorsAbi } from '@causeway/protocol/abi';
import {
  createWalletClient,
  custom,
  encodeErrorResult,
  numberToHex,
  parseEther,
  parseTransaction,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { connectBridge, deposit, fromViem } from '../src/index.js';
import { makeAnswer, makeQuote } from './api-server.js';

// A transaction of a key, by nodes that fill it with one call and by nodes that do not.

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const PAUSED = encodeErrorResult({ abi: bridgeErrorsAbi, errorName: 'Paused' });
const config = makeAnswer<ConfigResponse>('getConfig');
const quote = makeQuote({ token: 'ETH', amount: '0.5', direction: 'ETHEREUM_TO_PARTNER' });
const answers: Readonly<Record<string, object>> = { config, 'fee-quote': quote };
const bridge = connectBridge({
  apiUrl: 'http://bridge.example/api/v1',
  fetch: async (input) =>
    new Response(JSON.stringify(answers[new URL(input as string).pathname.replace('/api/v1/bridge/', '')])),
});
const account = privateKeyToAccount(generatePrivateKey());

/** A node on which nothing waits. It fills transactions unless `fills` is false. */
class Node {
  readonly calls: string[] = [];
  sent: Hex = '0x';

  constructor(
    private readonly fills: boolean,
    private readonly reverts = false,
  ) {}

  readonly request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    this.calls.push(method);
    const [parameter] = (params ?? []) as unknown[];
    const isJudged = method === 'eth_fillTransaction' || method === 'eth_estimateGas';
    if (method === 'eth_fillTransaction' && !this.fills) throw Object.assign(new Error('unknown'), { code: -32_601 });
    if (isJudged && this.reverts) throw Object.assign(new Error('execution reverted'), { code: 3, data: PAUSED });
    if (method === 'eth_sendRawTransaction') this.sent = parameter as Hex;
    const filled = { gas: '0xc350', nonce: '0x7', maxFeePerGas: '0x64', maxPriorityFeePerGas: '0x1', type: '0x2' };
    return {
      eth_chainId: numberToHex(config.ethereum.chainId),
      eth_getBlockByNumber: { number: '0x10', timestamp: '0x10', baseFeePerGas: '0x32', transactions: [] },
      eth_getBalance: numberToHex(parseEther('9')),
      eth_fillTransaction: { raw: '0x', tx: { ...(parameter as object), ...filled, input: '0x' } },
      eth_estimateGas: '0xc350',
      eth_maxPriorityFeePerGas: '0x1',
      eth_getTransactionCount: '0x7',
      eth_sendRawTransaction: HASH,
      eth_getTransactionReceipt: { transactionHash: HASH, status: '0x0', logs: [] },
      eth_getLogs: [],
    }[method];
  };

  async deposit(): Promise<unknown> {
    const wallet = fromViem(createWalletClient({ account, transport: custom(this, { retryCount: 0 }) }));
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
    expect(await node.deposit()).toMatchObject({ name: 'ContractError', errorName: 'Paused', retry: { helps: true } });
    expect(node.calls).not.toContain('eth_sendRawTransaction');
  });
});
