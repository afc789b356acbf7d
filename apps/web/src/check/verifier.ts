import type { Side } from '@causeway/sdk';
import { createVerifier, MemoryRecord, readSettings, type Node, type Verifier } from '@causeway/verifier';
import type { CheckSettings } from './case.js';

/** The nodes of each chain that a reader chose. */
type Nodes = Readonly<Record<Side, readonly Node[]>>;

/** Milliseconds until a slow node counts as unavailable. */
const TIMEOUT_MS = 15_000;

/** Creates a verifier that asks these nodes, of which more than half must agree, about the host's contracts. */
export function makeVerifier(settings: CheckSettings, nodes: Nodes): Verifier {
  const { holdSeconds, operators = { addresses: [], needed: 0 } } = settings;
  const toChain = (side: Side) => ({
    nodes: nodes[side],
    quorum: Math.floor(nodes[side].length / 2) + 1,
    confirmations: settings[side].confirmations,
    timeoutMs: TIMEOUT_MS,
  });
  return createVerifier({
    settings: readSettings(settings.addressBook, { holdSeconds, operators }),
    ethereum: toChain('ethereum'),
    partner: toChain('partner'),
    record: new MemoryRecord(),
  });
}
