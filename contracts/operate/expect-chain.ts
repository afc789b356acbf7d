import type { PublicClient } from 'viem';
import type { OperatorCall } from './operator-call.js';

/**
 * Asks a node which chain it is on, before anything else is asked or sent.
 *
 * @throws Error when that is not the chain of the address book; viem's errors when the node does not answer.
 */
export async function expectChain(
  client: PublicClient,
  { chain, chainId }: Pick<OperatorCall, 'chain' | 'chainId'>,
): Promise<void> {
  const found = await client.getChainId();
  if (found !== chainId) throw new Error(`The ${chain} node is on chain ${found}, the address book on ${chainId}`);
}
