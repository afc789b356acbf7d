import { connectNamedNode, NODE_TIMEOUT_MS } from '@causeway/chain/named-nodes';
import { localSigner, openKeystore, type Signer } from '@causeway/chain/signers';
import { createVerifier, MemoryRecord, type Dissent, type Side, type Verifier } from '@causeway/verifier';
import type { Configuration } from './configuration/configuration.js';

/** Called for a node that gave another answer than a quorum, or none. */
export type OnDissent = (chain: Side, node: string, kind: Dissent, question: string) => void;

/** Creates the watchtower's verifier on its own nodes. */
export function openVerifier({ verifier: settings, chains }: Configuration, onDissent?: OnDissent): Verifier {
  const options = (side: Side) => {
    const { nodes, quorum, confirmations } = chains[side];
    return {
      nodes: nodes.map(connectNamedNode),
      quorum,
      confirmations,
      timeoutMs: NODE_TIMEOUT_MS,
      onDissent: (node: string, kind: Dissent, question: string) => onDissent?.(side, node, kind, question),
    };
  };
  const record = new MemoryRecord();
  return createVerifier({ settings, ethereum: options('ethereum'), partner: options('partner'), record });
}

/**
 * Opens the pauser's key.
 *
 * @throws SignerError
 */
export async function openPauser({ pauser }: Configuration): Promise<Signer> {
  return pauser.kind === 'raw' ? localSigner(pauser.privateKey) : openKeystore(pauser);
}
