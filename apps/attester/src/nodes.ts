import { connectNamedNode, NODE_TIMEOUT_MS } from '@causeway/chain/named-nodes';
import { createVerifier, type Finality, type Side, type TransferRecord, type Verifier } from '@causeway/verifier';
import type { Configuration } from './configuration/configuration.js';

export const SIDES = ['ethereum', 'partner'] as const;

/** Creates an attester's verifier on its own nodes. */
export function openVerifier({ verifier: settings, chains }: Configuration, record: TransferRecord): Verifier {
  const options = (side: Side) => {
    const { nodes, quorum, confirmations } = chains[side];
    return { nodes: nodes.map(connectNamedNode), quorum, confirmations, timeoutMs: NODE_TIMEOUT_MS };
  };
  const verifier = createVerifier({ settings, ethereum: options('ethereum'), partner: options('partner'), record });
  return { ...verifier, finality: new SteadyFinality(verifier.finality) };
}

/** A final block that never decreases, even when a node becomes unavailable and lowers the quorum's head. */
class SteadyFinality implements Finality {
  private readonly highest = { ethereum: 0n, partner: 0n };

  constructor(private readonly finality: Finality) {}

  async finalBlock(side: Side): Promise<bigint> {
    const final = await this.finality.finalBlock(side);
    if (final > this.highest[side]) this.highest[side] = final;
    return this.highest[side];
  }
}
