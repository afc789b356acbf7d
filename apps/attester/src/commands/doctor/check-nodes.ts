import { describeProblem, error, ok, warning } from '@causeway/service/doctor';
import type { Side, Verifier } from '@causeway/verifier';
import type { Configuration } from '../../configuration/configuration.js';
import { readChainId, SIDES } from '../../nodes.js';
import type { Finding } from './finding.js';

type Node = Verifier['readers'][Side]['nodes'][number];

/** A node of this many blocks behind the others gives no answers about new blocks. */
const LAG_BLOCKS = 10n;
/** Nodes refuse blocks that are this far in the future (geth: 15 s). */
const AHEAD_SECONDS = 15;

/** Asks each node of both chains for its chain, its head and its time. */
export async function checkNodes(
  verifier: Verifier,
  { chains }: Configuration,
  now: () => number,
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    SIDES.map(async (side) => {
      const { nodes: named, quorum } = chains[side];
      const { nodes } = verifier.readers[side];
      const facts = await Promise.all(nodes.map(async (node) => readFacts(node, now)));
      const usable = facts.filter(({ chainId }) => chainId === verifier.settings[side].chainId);
      const heads = usable.map(({ head }) => head).toSorted((a, b) => (a > b ? -1 : 1));
      const agreed = heads[Math.min(quorum, heads.length) - 1] ?? 0n;
      const operators = new Set(named.map(({ operator }) => operator)).size;
      const count = `${side}: ${usable.length} of ${nodes.length} nodes of ${operators} organisations, ${quorum} must agree`;
      const variable = `${side.toUpperCase()}_RPC_URLS`;
      const summary =
        usable.length < quorum
          ? error('nodes', count, `repair the nodes below, or add others to ${variable}`)
          : usable.length === quorum && nodes.length > 1
            ? warning('nodes', `${count}: none may fail`, `add another one to ${variable}`)
            : ok('nodes', count);
      return [summary, ...facts.flatMap((each) => judge(side, each, verifier.settings[side].chainId, agreed))];
    }),
  );
  return found.flat();
}

interface NodeFacts {
  readonly name: string;
  readonly chainId: number | null;
  readonly head: bigint;
  /** This machine's clock less the time of the newest block, in seconds. */
  readonly ageSeconds: number;
  readonly latencyMs: number;
  readonly problem: string | null;
}

async function readFacts(node: Node, now: () => number): Promise<NodeFacts> {
  const { name } = node;
  try {
    const chainId = await readChainId(node);
    const startedAtMs = performance.now();
    const block = await node.client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] } as never);
    const latencyMs = Math.round(performance.now() - startedAtMs);
    const { number, timestamp } = block as { readonly number: string; readonly timestamp: string };
    const ageSeconds = Math.round(now() / 1_000 - Number(timestamp));
    return { name, chainId, head: BigInt(number), ageSeconds, latencyMs, problem: null };
  } catch (cause) {
    return { name, chainId: null, head: 0n, ageSeconds: 0, latencyMs: 0, problem: describeProblem(cause) };
  }
}

function judge(side: Side, facts: NodeFacts, meant: number, agreed: bigint): readonly Finding[] {
  const { name, chainId, head, ageSeconds, latencyMs, problem } = facts;
  const node = `${side} ${name}`;
  if (problem !== null) return [warning('nodes', `${node}: ${problem}`, 'start it, or replace it')];
  if (chainId !== meant) return [error('nodes', `${node} is of chain ${chainId}, and not of ${meant}`, 'remove it')];
  const lags = head + LAG_BLOCKS < agreed;
  const progress = lags
    ? warning('nodes', `${node} is ${agreed - head} blocks behind, at ${head}`, 'let it catch up')
    : ok('nodes', `${node}: block ${head}, ${latencyMs} ms`);
  if (ageSeconds >= -AHEAD_SECONDS) return [progress];
  const ahead = `the newest block of ${node} is ${-ageSeconds} s in the future`;
  return [progress, error('clock', ahead, 'set the clock of this machine (NTP)')];
}
