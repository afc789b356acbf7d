import { createVerifier, judgeDelivery, MemoryRecord, type Delivery, type VerifierSettings } from '@causeway/verifier';
import { createPublicClient, http } from 'viem';

/** `nodes`: addresses of nodes of different operators, three for each chain. */
export async function judge(
  delivery: Delivery,
  settings: VerifierSettings,
  nodes: { readonly ethereum: readonly string[]; readonly partner: readonly string[] },
): Promise<string> {
  const connect = (url: string, index: number) => ({
    name: `node-${index}`,
    client: createPublicClient({ transport: http(url, { retryCount: 0 }) }),
  });
  const verifier = createVerifier({
    settings,
    ethereum: { nodes: nodes.ethereum.map(connect), quorum: 2, confirmations: 12 },
    partner: { nodes: nodes.partner.map(connect), quorum: 2, confirmations: 6 },
    record: new MemoryRecord(),
  });
  const verdict = await judgeDelivery(delivery, verifier);
  switch (verdict.kind) {
    case 'SIGN':
      return `sign ${verdict.call.kind} for ${verdict.transfer.transactionHash}`;
    case 'NOT_YET':
      return `ask again: ${verdict.why}`;
    case 'REFUSE':
      return `refuse with ${verdict.reason}: ${verdict.why}`;
  }
}
