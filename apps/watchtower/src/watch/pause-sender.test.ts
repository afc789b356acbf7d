import { beforeEach, describe, expect, it } from '@jest/globals';
import { localSigner } from '@causeway/chain/signers';
import { anAddress, testKey } from '@causeway/test-kit';
import type { Heads, Verifier } from '@causeway/verifier';
import { numberToHex, parseGwei, parseTransaction, type Hex } from 'viem';
import { countAffordablePauses, PauseSender } from './pause-sender.js';

const HEAD = { number: 7n } as Heads['partner'];
const GWEI = parseGwei('1');

/** Two nodes, of which the second refuses transactions. */
const chain = { nonce: 4n, price: 10n * GWEI, nowMs: 0 };
const answer = (method: string): Hex => {
  if (method === 'eth_getTransactionCount') return numberToHex(chain.nonce);
  return numberToHex(method === 'eth_maxPriorityFeePerGas' ? GWEI : chain.price);
};
const sent: { raw: Hex; problems: readonly string[] }[] = [];
let raws: Hex[] = [];
const nodes = ['one', 'two'].map((name) => ({
  name,
  client: {
    request: async ({ method, params }: { method: string; params: [Hex] }) => {
      if (method !== 'eth_sendRawTransaction') return answer(method);
      raws.push(params[0]);
      if (name === 'two') throw new Error('already known');
    },
  },
}));
const agree = async (_: string, read: (ask: (method: string) => Promise<Hex>) => unknown) =>
  read(async (method) => answer(method));
const verifier = {
  readers: { partner: { nodes, agree, head: async () => 7n } },
  settings: { partner: { chainId: 8_901 } },
} as unknown as Verifier;

let sender: PauseSender;
const pause = async () => sender.pause('partner', HEAD);
const parse = (raw: Hex) => parseTransaction(raw as `0x02${string}`);

beforeEach(() => {
  Object.assign(chain, { nonce: 4n, price: 10n * GWEI, nowMs: 0 });
  sent.length = 0;
  raws = [];
  sender = new PauseSender({
    verifier,
    signer: localSigner(testKey(9)),
    sentinels: { ethereum: anAddress('ethereum'), partner: anAddress('partner') },
    maxFeePerGas: 30n * GWEI,
    now: () => chain.nowMs,
    onSent: (_, hash, problems) => sent.push({ raw: hash, problems }),
  });
});

describe('PauseSender', () => {
  it('sends to every node, at twice the price, whatever one answers', async () => {
    await pause();
    expect(raws).toHaveLength(2);
    expect(raws[0]).toBe(raws[1]);
    expect(parse(raws[0]!)).toMatchObject({
      to: anAddress('partner'),
      nonce: 4,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    expect(sent).toMatchObject([{ problems: ['already known'] }]);
  });

  it('raises the fees each 20 seconds up to the cap, and then repeats the transaction', async () => {
    await pause();
    chain.nowMs = 19_000;
    await pause();
    expect(sent).toHaveLength(1);
    const fees = [parse(raws[0]!).maxFeePerGas!];
    for (let times = 1; times <= 6; times++) {
      chain.nowMs = times * 20_000;
      await pause();
      fees.push(parse(raws.at(-1)!).maxFeePerGas!);
    }
    expect(fees[1]).toBeGreaterThan((fees[0]! * 110n) / 100n);
    expect(fees.at(-1)).toBeLessThanOrEqual(30n * GWEI);
    expect(raws.at(-1)).toBe(raws.at(-3));
  });

  it('uses the next nonce after a transaction that paused nothing', async () => {
    await pause();
    Object.assign(chain, { nonce: 5n, nowMs: 20_000 });
    await pause();
    expect(parse(raws.at(-1)!)).toMatchObject({ nonce: 5, maxFeePerGas: 20n * GWEI });
  });
});

describe('countAffordablePauses', () => {
  it('divides the coin by the highest cost', async () => {
    chain.price = 150_000n * 30n * GWEI * 3n + 1n;
    expect(await countAffordablePauses(verifier, 'partner', anAddress('pauser'), 30n * GWEI)).toBe(3);
  });
});
