import type { Operation, WalletCall } from '@causeway/store';
import type { Address, Hex } from 'viem';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { isOriginFinal } from '../pipeline/origin.js';
import { refused, type Plan, type PlanContext } from './plan.js';

/**
 * Plans to cancel a withheld delivery with an empty transaction of the same nonce, so that later deliveries do not wait
 * for it. The relayer signs and sends it. Only a delivery whose origin is gone can be cancelled.
 *
 * @throws QuorumError when the nodes do not agree on the origin.
 */
export async function planCancel({ store, chains }: PlanContext, operationId: Hex): Promise<Plan> {
  const [operation, call] = [
    await store.operations.findById(operationId),
    await store.journal.findPending(operationId),
  ];
  if (operation === null || call === null)
    return refused('The operation has no pending transaction: nothing to cancel');
  const why = await whyNot(chains, operation, call);
  if (why !== null) return refused(why);
  const { nonce, address, chainId, operationIds } = call;
  const others =
    operationIds.length === 1 ? '' : ` It pays ${operationIds.length} operations; the others become due again.`;
  return {
    findings: [
      `The delivery ${call.transactions.at(-1)?.hash} holds nonce ${nonce} of ${address} on chain ${chainId}.${others}`,
    ],
    effect: { kind: 'cancel', call },
    outcome: 'It is cancelled. The relayer sends an empty transaction with the same nonce until that is final.',
  };
}

async function whyNot(chains: BridgeChains, operation: Operation, call: WalletCall): Promise<string | null> {
  if (await isMined(requireChain(chains, call.chainId), call)) return `Nonce ${call.nonce} is mined: nothing to cancel`;
  if (await isOriginFinal(requireChain(chains, operation.originChainId), operation))
    return 'The origin is final, so the delivery is owed: the relayer sends it';
  return null;
}

async function isMined({ connection }: BridgeChain, { address, nonce }: { address: Address; nonce: bigint }) {
  return BigInt(await connection.client.getTransactionCount({ address })) > nonce;
}

function requireChain(chains: BridgeChains, id: number): BridgeChain {
  const found = eachChain(chains).find(({ chainId }) => chainId === id);
  if (found === undefined) throw new Error(`Chain ${id} is not one of the two configured chains`);
  return found;
}
