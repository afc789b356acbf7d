// The entry point `@causeway/chain/named-nodes`: the nodes of programs that judge the bridge. Each node has a name for
// the organisation that runs it, because no single organisation may decide anything.
import { ConfigurationError, isUrl, parseEndpoint, wholeNumber } from '@causeway/service/configuration';
import {
  describeProblem,
  findAgreedHead,
  findUsable,
  judgeBlockTimes,
  judgeNode,
  judgeQuorum,
  type Fact,
  type Finding,
  type NodeAnswers,
} from '@causeway/service/doctor';
import { chainProfile, type Environment, type Side } from '@causeway/protocol';
import { createClient, hexToNumber, http, type Client, type Hex } from 'viem';
import { z } from 'zod';

/** A slower node counts as unavailable. */
export const NODE_TIMEOUT_MS = 10_000;
const SIDES = ['ethereum', 'partner'] as const;
const NODES_RULE = 'must be nodes such as operator=https://node.example, separated by commas';
const LEAST_OPERATORS = 2;

/** A node as configured. */
export interface NamedNode {
  /** The organisation that runs it. */
  readonly operator: string;
  readonly url: string;
}

/** The nodes of a chain. */
export interface NamedNodes {
  readonly nodes: readonly NamedNode[];
  /** How many of them must agree: more than half. */
  readonly quorum: number;
  readonly confirmations: number;
}

const nodes = z.string(NODES_RULE).transform((text, context): readonly NamedNode[] => {
  const found = text.split(',').map((entry) => /^([\w.-]{1,40})=(.+)$/.exec(entry.trim()));
  const named = found.flatMap((match) => {
    const [, operator = '', url = ''] = match ?? [];
    return isUrl(url, ['http:', 'https:']) ? [{ operator, url }] : [];
  });
  if (named.length === found.length) return named;
  context.addIssue(NODES_RULE);
  return z.NEVER;
});

/** The variables of named nodes. `least`: how many a chain needs outside `local`. */
export const namedNodesVariables = (least: number) => ({
  ETHEREUM_RPC_URLS: nodes.meta({
    description:
      'JSON-RPC addresses of Ethereum nodes, each with a name for the organisation that runs it. Outside local, at ' +
      `least ${least} nodes of ${LEAST_OPERATORS} organisations. An address can contain credentials, as https://name:key@host.`,
    isSecret: true,
    example: 'own=http://127.0.0.1:8545',
  }),
  PARTNER_RPC_URLS: nodes.meta({
    description: 'JSON-RPC addresses of partner chain nodes, under the same rules as ETHEREUM_RPC_URLS.',
    isSecret: true,
    example: 'own=http://127.0.0.1:7546',
  }),
  ETHEREUM_QUORUM: wholeNumber(1)
    .optional()
    .describe('Number of Ethereum nodes that must agree, more than half of them. Default: the smallest majority.'),
  PARTNER_QUORUM: wholeNumber(1)
    .optional()
    .describe('Number of partner chain nodes that must agree, more than half of them. Default: the smallest majority.'),
});

type NodeVariables = z.output<z.ZodObject<ReturnType<typeof namedNodesVariables>>> & {
  readonly ENVIRONMENT: Environment;
  readonly ETHEREUM_CONFIRMATIONS?: number | undefined;
  readonly PARTNER_CONFIRMATIONS?: number | undefined;
};

/**
 * Reads the nodes of a chain. Outside `local`, no single organisation may decide anything.
 *
 * @param least how many nodes the chain needs outside `local`.
 * @throws ConfigurationError
 */
export function readNamedNodes(env: NodeVariables, chain: 'ETHEREUM' | 'PARTNER', least: number): NamedNodes {
  const [name, named] = [`${chain}_RPC_URLS`, env[`${chain}_RPC_URLS`]] as const;
  const hosts = named.map(({ url }) => new URL(url).host);
  const repeated = hosts.find((host, index) => hosts.indexOf(host) !== index);
  const quorum = env[`${chain}_QUORUM`] ?? Math.floor(named.length / 2) + 1;
  const problems: string[] = [];
  if (repeated !== undefined) problems.push(`${name} names ${repeated} twice: one node cannot count as two`);
  if (env.ENVIRONMENT !== 'local') {
    const operators = new Set(named.map(({ operator }) => operator)).size;
    if (named.length < least || operators < LEAST_OPERATORS)
      problems.push(
        `${name} must have at least ${least} nodes of ${LEAST_OPERATORS} organisations outside local, ` +
          `and has ${named.length} of ${operators}`,
      );
  }
  if (quorum > named.length || 2 * quorum <= named.length)
    problems.push(`${chain}_QUORUM must be more than half of the ${named.length} nodes of ${name}, and not more`);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const side = chain === 'ETHEREUM' ? 'ethereum' : 'partner';
  const confirmations = env[`${chain}_CONFIRMATIONS`] ?? chainProfile(env.ENVIRONMENT).requiredConfirmations[side];
  return { nodes: named, quorum, confirmations };
}

/** A node with its client. Its name, which appears in reasons, is organisation and host. */
interface ConnectedNode {
  readonly name: string;
  readonly client: { readonly request: (...call: never[]) => Promise<unknown> };
}

/** Connects a node. It sends no request. */
export function connectNamedNode({ operator, url: address }: NamedNode): ConnectedNode & { readonly client: Client } {
  const { host, url, headers } = parseEndpoint(address);
  const fetchOptions = { headers, redirect: 'error' } as const;
  const client = createClient({ transport: http(url, { retryCount: 0, timeout: NODE_TIMEOUT_MS, fetchOptions }) });
  return { name: `${operator} ${host}`, client };
}

/** The nodes of both chains with their settings, such as a verifier. */
interface ConnectedChains {
  readonly readers: Readonly<Record<Side, { readonly nodes: readonly ConnectedNode[] }>>;
  readonly settings: Readonly<Record<Side, { readonly chainId: number }>>;
}

/** The chain id that a node reports. */
async function readChainId({ client }: ConnectedNode): Promise<number> {
  return hexToNumber((await client.request({ method: 'eth_chainId' } as never)) as Hex);
}

/**
 * Checks that the nodes are on the chains of the address book. Unavailable nodes are not a problem here.
 *
 * @throws ConfigurationError that names each node on another chain.
 */
export async function checkChainIds({ readers, settings }: ConnectedChains): Promise<void> {
  const problems = await Promise.all(
    SIDES.flatMap((side) =>
      readers[side].nodes.map(async (node) => {
        const { chainId } = settings[side];
        const found = await readChainId(node).catch(() => chainId);
        return found === chainId
          ? []
          : [`${side.toUpperCase()}_RPC_URLS must name nodes of chain ${chainId}: ${node.name} is of chain ${found}`];
      }),
    ),
  );
  if (problems.flat().length > 0) throw new ConfigurationError(problems.flat());
}

/** For a doctor: reads chain id, head and block time from each node of both chains. */
export async function checkNamedNodes(
  { readers, settings }: ConnectedChains,
  { chains, environment }: { readonly chains: Readonly<Record<Side, NamedNodes>>; readonly environment: Environment },
  now: () => number,
): Promise<readonly Finding<'nodes' | 'clock'>[]> {
  const { stillAfterSeconds } = chainProfile(environment);
  const found = await Promise.all(
    SIDES.map(async (side): Promise<readonly Finding<'nodes' | 'clock'>[]> => {
      const answers = await Promise.all(readers[side].nodes.map((node) => readAnswers(side, node)));
      const expected = {
        side,
        chainId: settings[side].chainId,
        quorum: chains[side].quorum,
        variable: `${side.toUpperCase()}_RPC_URLS`,
        isLocal: environment === 'local',
        organisations: new Set(chains[side].nodes.map(({ operator }) => operator)).size,
      };
      const usable = findUsable(answers, expected);
      const agreed = findAgreedHead(answers, expected);
      return [
        ...answers.map((node) => judgeNode(node, expected, agreed)),
        judgeQuorum(usable.length, answers, expected),
        ...judgeBlockTimes(usable, now(), stillAfterSeconds?.[side] ?? null),
      ];
    }),
  );
  return found.flat();
}

async function readAnswers(side: Side, node: ConnectedNode): Promise<NodeAnswers> {
  const [chainId, head] = await Promise.all([read(() => readChainId(node)), read(() => readNewest(node))]);
  return { side, name: node.name, chainId, head };
}

async function readNewest({ client }: ConnectedNode) {
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
