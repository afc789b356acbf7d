import { chainProfile } from '@causeway/protocol';
import {
  describeProblem,
  findAgreedHead,
  findUsable,
  judgeBlockTimes,
  judgeNode,
  judgeQuorum,
  type Fact,
  type NodeAnswers,
} from '@causeway/service/doctor';
import type { Side, Verifier } from '@causeway/verifier';
import type { Configuration } from '../../configuration/configuration.js';
import { readChainId, SIDES } from '../../nodes.js';
import type { Finding } from './finding.js';

type Node = Verifier['readers'][Side]['nodes'][number];

/** Reads chain id, head and block time from each node of both chains. */
export async function checkNodes(
  verifier: Verifier,
  { chains, environment }: Configuration,
  now: () => number,
): Promise<readonly Finding[]> {
  const { stillAfterSeconds } = chainProfile(environment);
  const found = await Promise.all(
    SIDES.map(async (side): Promise<readonly Finding[]> => {
      const nodes = await Promise.all(verifier.readers[side].nodes.map((node) => readAnswers(side, node)));
      const expected = {
        side,
        chainId: verifier.settings[side].chainId,
        quorum: chains[side].quorum,
        variable: `${side.toUpperCase()}_RPC_URLS`,
        isLocal: environment === 'local',
        organisations: new Set(chains[side].nodes.map(({ operator }) => operator)).size,
      };
      const usable = findUsable(nodes, expected);
      const agreed = findAgreedHead(nodes, expected);
      return [
        ...nodes.map((node) => judgeNode(node, expected, agreed)),
        judgeQuorum(usable.length, nodes, expected),
        ...judgeBlockTimes(usable, now(), stillAfterSeconds?.[side] ?? null),
      ];
    }),
  );
  return found.flat();
}

async function readAnswers(side: Side, node: Node): Promise<NodeAnswers> {
  const [chainId, head] = await Promise.all([read(() => readChainId(node)), read(() => readNewest(node))]);
  return { side, name: node.name, chainId, head };
}

async function readNewest({ client }: Node) {
  const startedAtMs = performance.now();
  const block = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] } as never);
  const latencyMs = Math.round(performance.now() - startedAtMs);
  const { number, timestamp } = block as { readonly number: string; readonly timestamp: string };
  return { number: BigInt(number), timestampSeconds: BigInt(timestamp), latencyMs };
}

async function read<T>(ask: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { ok: true, value: await ask() };
  } catch (problem) {
    return { ok: false, reason: describeProblem(problem) };
  }
}
