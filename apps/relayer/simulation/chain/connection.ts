import { connectNodes, type ChainConnection, type NodeClock, type NodesOptions } from '@causeway/chain';
import type { Step } from '../step.ts';
import { nodeTransport, type SimulatedNode } from './simulated-node.ts';

/** How a process connects to the nodes of a chain. */
interface ConnectionInput extends Omit<NodesOptions, 'nodes'> {
  readonly nodes: readonly SimulatedNode[];
  readonly clock: NodeClock;
  readonly step: Step;
  /** Limit for one request. */
  readonly timeoutMs: number;
}

/** Connects a process to simulated nodes, with the relayer's own pool and quorum. */
export function simulatedConnection({ nodes, step, timeoutMs, ...options }: ConnectionInput): ChainConnection {
  const access = { step, sleep: (ms: number) => options.clock.sleep(ms), timeoutMs };
  return connectNodes({
    ...options,
    nodes: nodes.map((node) => ({ name: node.name, transport: nodeTransport(node, access) })),
  });
}
