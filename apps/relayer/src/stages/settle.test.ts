import { describe, expect, it } from '@jest/globals';
import { QuorumError } from '@causeway/chain';
import { confirmations } from '@causeway/protocol';
import type { FinalDelivery, Operation, Store } from '@causeway/store';
import { aHash, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import type { BridgeChains } from '../bridge-chain.js';
import { SettleStage } from './settle.js';

const FENCE = { name: 'relayer', token: 1n };
const book = anAddressBook();
const TOKEN = book.partner.tokens.USDC.toLowerCase();
const RECIPIENT = '0x00000000000000000000000000000000000000aa';

const OWED = {
  asset: 'USDC',
  recipient: RECIPIENT,
  outputAmount: 7n,
  fee: 0n,
  destinationChainId: PARTNER,
  status: 'AWAITING_RELAY',
};

/** The newest block that was read. */
const HEAD = 100n;

/** The delivery of 7 USDC units in a block. */
function delivered(blockNumber: bigint, amount = '7'): FinalDelivery {
  const args = { token: TOKEN, recipient: RECIPIENT, amount };
  const place = { name: 'Mint', chainId: PARTNER, operationId: aHash(), txHash: aHash() };
  return { ...place, blockNumber, args } as unknown as FinalDelivery;
}

/** Runs the stage with deliveries on the partner chain. Each failing operation fails the step that it is part of. */
async function settle(
  deliveries: readonly FinalDelivery[],
  { failing = [], isFinal = async () => true }: Partial<{ failing: string[]; isFinal: FinalityCheck }> = {},
) {
  const settled: string[] = [];
  const delayed: string[] = [];
  const store = {
    scan: { latestBlock: async () => ({ number: HEAD }) },
    operations: {
      findFinalDeliveries: async (chainId: number, finalBlock: bigint) =>
        deliveries.filter(({ blockNumber }) => chainId === PARTNER && blockNumber <= finalBlock),
      findByIds: async (ids: readonly string[]) => ids.map((id) => ({ id, ...OWED }) as unknown as Operation),
      delayUsedUp: async (_: unknown, wrong: readonly FinalDelivery[]) => {
        const ids = wrong.map(({ operationId }) => operationId);
        delayed.push(...ids);
        return new Set(ids);
      },
      settleAll: async (_: unknown, part: readonly FinalDelivery[]) => {
        const ids = part.map(({ operationId }) => operationId);
        const broken = ids.find((id) => failing.includes(id));
        if (broken !== undefined) throw new Error(`of ${broken}`);
        settled.push(...ids);
        return new Set(ids);
      },
    },
  } as unknown as Store;
  const chain = { confirmations: 3, finality: { isFinal } };
  const chains = {
    ethereum: { ...chain, side: 'ethereum', chainId: ETHEREUM },
    partner: { ...chain, side: 'partner', chainId: PARTNER },
  };
  const stage = new SettleStage(
    chains as unknown as BridgeChains,
    store,
    { addressBook: book },
    pino({ level: 'silent' }),
  );
  const outcome: unknown = await stage.run(FENCE).catch((error: unknown) => error);
  return { settled, delayed, outcome };
}

type FinalityCheck = (delivery: FinalDelivery, confirmations: number) => Promise<boolean>;

describe('the stage settle', () => {
  it('completes the operations whose deliveries a quorum has, and says that it wrote', async () => {
    const [one, other] = [delivered(10n), delivered(11n)];
    const { settled, outcome } = await settle([one, other]);
    expect(settled).toEqual([one.operationId, other.operationId]);
    expect(outcome).toBe(true);
  });

  it('completes a delivery with exactly the needed confirmations, and none with one less', async () => {
    const isFinal: FinalityCheck = async ({ blockNumber }, needed) => confirmations(HEAD, blockNumber) >= needed;
    const [final, younger] = [delivered(HEAD - 2n), delivered(HEAD - 1n)];
    const { settled } = await settle([final, younger], { isFinal });
    expect(settled).toEqual([final.operationId]);
  });

  it('completes nothing that the nodes do not have, and delays an operation that was paid with other terms', async () => {
    const invented = delivered(10n);
    const wrong = delivered(11n, '6');
    const isFinal: FinalityCheck = async ({ operationId }) => operationId !== invented.operationId;
    expect(await settle([invented, wrong], { isFinal })).toEqual({
      settled: [],
      delayed: [wrong.operationId],
      outcome: true,
    });
  });

  it('completes the others while the nodes disagree about one block', async () => {
    const [disputed, other] = [delivered(10n), delivered(11n)];
    const isFinal: FinalityCheck = async ({ blockNumber }) => {
      if (blockNumber === disputed.blockNumber) throw new QuorumError('partner', 2, []);
      return true;
    };
    const { settled, outcome } = await settle([disputed, other], { isFinal });
    expect(settled).toEqual([other.operationId]);
    expect(outcome).toBe(true);
  });

  it('completes the others when one cannot be written, and then throws', async () => {
    const [one, broken, other] = [delivered(10n), delivered(11n), delivered(12n)];
    const { settled, outcome } = await settle([one, broken, other], { failing: [broken.operationId] });
    expect(settled.toSorted()).toEqual([one.operationId, other.operationId].toSorted());
    expect(outcome).toEqual(new Error(`of ${broken.operationId}`));
  });
});
