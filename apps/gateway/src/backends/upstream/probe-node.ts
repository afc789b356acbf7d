import type { GenesisPin } from './genesis-pin.js';
import type { JsonRpcNode } from './json-rpc-node.js';
import { NodeFailure } from './node-failure.js';
import type { NodeHealth } from './node-health.js';
import { NodeRefusal } from './node-refusal.js';
import { readHeader } from './read-header.js';
import { readSyncState } from './read-sync-state.js';

/** What a look needs to know besides the node. */
export interface ProbeTerms {
  readonly chainId: number;
  readonly genesis: GenesisPin;
  readonly timeoutMs: number;
  readonly clock: () => number;
}

/**
 * Looks at a node: is it on the right chain (id and first block), where is its head, is it still catching up?
 *
 * Everything is asked every time: behind an address there can be another node than a moment ago. A node that is merely slow keeps its last
 * health: it answered something else while the look was under way.
 */
export async function probeNode(node: JsonRpcNode, last: NodeHealth, terms: ProbeTerms): Promise<NodeHealth> {
  const begun = terms.clock();
  const [chain, first, head, sync] = await node.callAll(
    [
      ['eth_chainId', []],
      ['eth_getBlockByNumber', ['0x0', false]],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_syncing', []],
    ],
    terms.timeoutMs,
  );
  const ill = (problem: string): NodeHealth => ({ ...last, problem, latencyMs: null });
  if (chain?.status !== 'fulfilled' || first?.status !== 'fulfilled' || head?.status !== 'fulfilled') {
    const reason = [chain, first, head].find((outcome) => outcome?.status === 'rejected')?.reason as unknown;
    const slow = reason instanceof NodeFailure && reason.kind === 'timeout' && node.lastAnswerAt > begun;
    return slow && last.problem === null ? last : ill(describe(reason));
  }
  if (typeof chain.value !== 'string' || Number(chain.value) !== terms.chainId) {
    return { ...ill(`is not on chain ${terms.chainId}`), header: null };
  }
  const genesis = readHeader(first.value);
  const header = readHeader(head.value);
  if (genesis === null || Number(genesis.number) !== 0) return ill('does not know its first block');
  if (!terms.genesis.accepts(genesis.hash)) {
    return { ...ill(`is on another chain with the id ${terms.chainId}: its first block differs`), header: null };
  }
  if (header === null) return ill('does not know its latest block');
  // A provider may not offer eth_syncing; then it is not syncing.
  const syncing = sync?.status === 'fulfilled' ? readSyncState(sync.value) : false;
  return { problem: null, header, syncing, latencyMs: Math.round(terms.clock() - begun) };
}

function describe(reason: unknown): string {
  if (reason instanceof NodeFailure) return reason.message;
  return reason instanceof NodeRefusal ? `refuses a health check (${reason.code})` : 'failed a health check';
}
