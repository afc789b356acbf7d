import { describe, expect, it } from '@jest/globals';
import type { ConfigResponse } from '@causeway/protocol';
import { numberToHex, parseEther, type Hex } from 'viem';
import { connectBridge, deposit, resume, type TransferRecord, type Wallet } from '../src/index.js';
import { makeAnswer, makeQuote } from './api-server.js';

// A wallet that is on another chain when its transaction is looked for. The nonce there says nothing about this one.

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const OTHER_CHAIN = 10;
const config = makeAnswer<ConfigResponse>('getConfig');
const quote = makeQuote({ token: 'ETH', amount: '0.5', direction: 'ETHEREUM_TO_PARTNER' });
const answers: Readonly<Record<string, object>> = { config, 'fee-quote': quote };
const bridge = connectBridge({
  apiUrl: 'http://bridge.example/api/v1',
  fetch: async (input) =>
    new Response(JSON.stringify(answers[new URL(input as string).pathname.replace('/api/v1/bridge/', '')])),
});

/** A wallet whose chain the test chooses, and a store that outlives the page. */
class World {
  chainId = config.ethereum.chainId;
  /** Called when the page looks for the receipt. */
  onReceipt: () => unknown = () => null;
  record: TransferRecord | undefined;
  readonly store = {
    save: (record: TransferRecord) => void (this.record = record),
    load: () => this.record ?? null,
  };
  readonly wallet: Wallet = {
    account: `0x${'5'.repeat(40)}`,
    keepsNonce: true,
    sendTransaction: async () => HASH,
    signTypedData: async () => HASH,
    request: async (method) => {
      if (method === 'eth_getTransactionReceipt') return this.onReceipt();
      return {
        eth_chainId: numberToHex(this.chainId),
        eth_getBlockByNumber: { number: '0x10', timestamp: '0x10' },
        eth_getBalance: numberToHex(parseEther('9')),
        eth_estimateGas: '0x5208',
        eth_getTransactionCount: this.chainId === OTHER_CHAIN ? '0x99' : '0x0',
        eth_getTransactionByHash: null,
        eth_getLogs: [],
      }[method];
    },
  };

  async deposit(): Promise<unknown> {
    const terms = { asset: 'ETH', amount: '0.5', recipient: this.wallet.account };
    return deposit(bridge, this.wallet, terms, { store: this.store, pollMs: 1 }).catch((error: unknown) => error);
  }
}

const wrong = { name: 'WrongNetworkError', expectedChainId: config.ethereum.chainId, actualChainId: OTHER_CHAIN };

describe('a wallet on another chain', () => {
  it('when a transfer is resumed is a WrongNetworkError, and the record stays as it is', async () => {
    const world = new World();
    world.onReceipt = () => {
      throw new Error('the page is closed');
    };
    await world.deposit();
    const { record } = world;
    expect(record?.steps).toMatchObject([{ state: 'sent', hash: HASH, nonce: 0 }]);
    world.onReceipt = () => null;
    world.chainId = OTHER_CHAIN;
    await expect(resume(bridge, world.wallet, record, { store: world.store, pollMs: 1 })).rejects.toMatchObject(wrong);
    expect(world.record).toEqual(record);
  });

  it('while its transaction is prepared is one, and nothing is sent there', async () => {
    const world = new World();
    const wallet = { ...world.wallet, keepsNonce: false };
    const request: Wallet['request'] = async (method, params) => {
      if (method === 'eth_accounts') return [wallet.account];
      if (method === 'eth_getCode') return '0x';
      if (method === 'eth_estimateGas') world.chainId = OTHER_CHAIN;
      return world.wallet.request(method, params);
    };
    const terms = { asset: 'ETH', amount: '0.5', recipient: wallet.account };
    const begun = deposit(bridge, { ...wallet, request }, terms, { store: world.store });
    await expect(begun).rejects.toMatchObject(wrong);
    expect(world.record?.steps).toMatchObject([{ state: 'planned' }]);
  });

  it('while its transaction is waited for is one, too, and not a replaced transaction', async () => {
    const world = new World();
    world.onReceipt = () => {
      world.chainId = OTHER_CHAIN;
      return null;
    };
    expect(await world.deposit()).toMatchObject(wrong);
    expect(world.record?.steps).toMatchObject([{ state: 'sent', hash: HASH }]);
  });
});
