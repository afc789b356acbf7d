import { connectNamedNode, NODE_TIMEOUT_MS } from '@causeway/chain/named-nodes';
import { createVerifier, MemoryRecord, type Side, type Verifier } from '@causeway/verifier';
import type { Configuration } from './configuration/configuration.js';

export const SIDES = ['ethereum', 'partner'] as const;

/** Creates the watchtower's verifier on its own nodes. */
export function openVerifier({ verifier: settings, chains }: Configuration): Verifier {
  const options = (side: Side) => {
    const { nodes, quorum, confirmations } = chains[side];
    return { nodes: nodes.map(connectNamedNode), quorum, confirmations, timeoutMs: NODE_TIMEOUT_MS };
  };
  const record = new MemoryRecord();
  return createVerifier({ settings, ethereum: options('ethereum'), partner: options('partner'), record });
}
