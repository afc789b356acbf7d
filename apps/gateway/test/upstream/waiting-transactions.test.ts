import { describe, expect, it } from '@jest/globals';
import { keccak256 } from 'viem';
import { startProxy, type ProxyAction } from '../setup/proxy.js';
import { Payer } from '../setup/payer.js';
import { UpstreamNodes } from '../setup/upstream-nodes.js';

const RECIPIENT = '0x00000000000000000000000000000000000c0ffe';
const nodes = new UpstreamNodes();
const payer = new Payer(nodes.chainId);

describe('transactions that wait for others', () => {
  it('go to another node in time, and leave the reads where they are', async () => {
    const [first, second] = await nodes.startTwins();
    const proxy = await startProxy(first.url);
    nodes.endWith(proxy.close);
    const backend = await nodes.connect([proxy.url, second.url], { timeoutMs: 500, maxBatchCalls: 1 });
    await backend.request('eth_gasPrice', []);
    expect(proxy.bodies.join()).toContain('eth_gasPrice');
    // The first transaction is never answered, so that the others do not get to this node.
    proxy.decide = async (body): Promise<ProxyAction> => {
      if (!body.includes('eth_sendRawTransaction')) return 'pass';
      await nodes.pause(2_000);
      return 'break';
    };
    const raws = await Promise.all([0, 1, 2].map((nonce) => payer.sign(nonce, RECIPIENT, 1n)));
    const hashes = await Promise.all(raws.map((raw) => backend.request('eth_sendRawTransaction', [raw])));
    expect(hashes).toEqual(raws.map((raw) => keccak256(raw)));
    expect(proxy.bodies.join().split('eth_sendRawTransaction')).toHaveLength(2);
    proxy.bodies.length = 0;
    await backend.request('eth_getBalance', [RECIPIENT, 'latest']);
    expect(proxy.bodies.join()).toContain('eth_getBalance');
  });
});
