import { QuorumError } from '@causeway/chain';
import { computeRefundId } from '@causeway/protocol';
import type { Fence, FinalArrival, Store, UnmatchedArrival } from '@causeway/store';
import type { Hex } from 'viem';
import type { BridgeChain, BridgeChains } from '../../bridge-chain.js';
import { inOneStep } from '../../pipeline/for-each.js';

type ArrivalChain = Pick<BridgeChain, 'chainId' | 'confirmations'> & {
  readonly finality: Pick<BridgeChain['finality'], 'recentHead' | 'isFinal' | 'blockAt'>;
};

/**
 * Creates a FAILED operation with its refund for every final transfer of a chain that pays no intent.
 *
 * @param only the refunds to create. Default: all.
 * @returns the ids of the operations.
 * @throws QuorumError when the head is unknown.
 */
export async function failUnmatched(
  store: Pick<Store, 'refunds'>,
  fence: Fence,
  chain: ArrivalChain,
  { ethereum, partner }: { readonly [side in keyof BridgeChains]: { readonly chainId: number } },
  only: ReadonlySet<Hex> | null = null,
): Promise<Hex[]> {
  const head = await chain.finality.recentHead();
  const found = await store.refunds.findUnmatched(chain.chainId, head - BigInt(chain.confirmations) + 1n);
  const unmatched = only === null ? found : found.filter(({ key }) => only.has(computeRefundId(key)));
  const seen = await Promise.all(unmatched.map((arrival) => findFinal(chain, arrival)));
  const failed: Hex[] = [];
  await inOneStep(
    seen.filter((arrival) => arrival !== null),
    async (part) => {
      const ids = { ethereum: ethereum.chainId, partner: partner.chainId };
      failed.push(...(await store.refunds.failArrivals(fence, part, ids)));
    },
  );
  return failed;
}

/** Asks the nodes about a transfer's block. Null when they do not confirm it or disagree. */
async function findFinal(chain: ArrivalChain, arrival: UnmatchedArrival): Promise<FinalArrival | null> {
  const { finality, confirmations: required } = chain;
  try {
    const [isFinal, finalBlock] = await Promise.all([
      finality.isFinal(arrival, required),
      finality.blockAt(arrival.blockNumber + BigInt(required) - 1n),
    ]);
    if (!isFinal || finalBlock === null) return null;
    const finalizedAt = new Date(Number(finalBlock.timestampSeconds) * 1000);
    return { ...arrival, finalizedAt, confirmations: required };
  } catch (error) {
    if (error instanceof QuorumError) return null;
    throw error;
  }
}
