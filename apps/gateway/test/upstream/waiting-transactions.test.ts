import { describe, expect, it } from '@jest/globals';
import { keccak256 } from 'viem';
import { startProxy, type ProxyAction } from '../setup/proxy.js';
import { Payer } from '../setup/payer.js';
import { UpstreamFixture } from '../setup/upstream-fixture.js';

const RECIPIENT = '0x00000000000000000000000000000000000c0ffe';
const fixture = new UpstreamFixture();
const payer = new Payer(fixture.chainId);

describe('queued transactions', () => {
  it('are sent to another node in time, while reads stay on the first one', async () => {
    const [first, second] = await fixture.startTwins();
    const proxy = await startProxy(first.url);
    fixture.endWith(proxy.close);
    const backend = await fixture.connect([proxy.url, second.url], { timeoutMs: 500, maxBatchCalls: 1 });
    await backend.request('eth_gasPrice', []);
    expect(proxy.bodies.join()).toContain('eth_gasPrice');
    // The node never answers the first transaction, so the others are not sent to it.
    proxy.decide = async (body): Promise<ProxyAction> => {
      if (!body.includes('eth_sendRawTransaction')) return 'pass';
      await fixture.pause(2_000);
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
