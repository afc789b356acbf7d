import type { PublicClient } from 'viem';
import { QuorumError, type NodeAnswer } from '../rpc/chain-error.js';
import type { ChainNode } from './chain-connection.js';

/** The answer of a node. `key` is equal for equal answers. */
export type Vote<T> =
  | { readonly node: ChainNode; readonly kind: 'answer'; readonly key: string; readonly answer: T }
  | { readonly node: ChainNode; readonly kind: 'failure'; readonly error: unknown };

/** The state of a vote. Open: pending nodes can still decide it. */
export type Decision = { readonly kind: 'agreed'; readonly key: string } | { readonly kind: 'open' | 'impossible' };

/**
 * Decides a vote. Pure. With a quorum of more than half of the nodes the order of the votes does not matter.
 *
 * @param pending number of nodes without an answer yet.
 */
export function decide(votes: readonly Vote<unknown>[], quorum: number, pending: number): Decision {
  const counts = new Map<string, number>();
  for (const vote of votes) if (vote.kind === 'answer') counts.set(vote.key, (counts.get(vote.key) ?? 0) + 1);
  for (const [key, count] of counts) if (count >= quorum) return { kind: 'agreed', key };
  return { kind: Math.max(0, ...counts.values()) + pending >= quorum ? 'open' : 'impossible' };
}

interface Question<T> {
  /** Name of the chain, for the error. */
  readonly chain: string;
  readonly nodes: readonly ChainNode[];
  /** Nodes set apart and why, for the error. */
  readonly notAsked: readonly NodeAnswer[];
  readonly quorum: number;
  readonly read: (client: PublicClient) => Promise<T>;
  readonly toKey?: ((answer: T) => string) | undefined;
  /** Receives all votes after the last node has answered or failed, possibly long after the decision. */
  readonly onSettled?: (votes: readonly Vote<T>[]) => void;
}

/**
 * Queries all nodes and returns as soon as `quorum` answers are equal. A slow node delays only decisions that need it.
 *
 * @throws QuorumError as soon as no answer can reach the quorum.
 */
export async function askNodes<T>({
  chain,
  nodes,
  notAsked,
  quorum,
  read,
  toKey = toAnswerKey,
  onSettled,
}: Question<T>): Promise<T> {
  const votes: Vote<T>[] = [];
  const ask = async (node: ChainNode): Promise<Vote<T>> => {
    try {
      const answer = await read(node.client);
      return { node, kind: 'answer', key: toKey(answer), answer };
    } catch (error) {
      return { node, kind: 'failure', error };
    }
  };
  return new Promise((resolve, reject) => {
    const update = () => {
      const decision = decide(votes, quorum, nodes.length - votes.length);
      if (decision.kind === 'impossible')
        reject(new QuorumError(chain, quorum, [...votes.map(describeVote), ...notAsked]));
      if (decision.kind === 'agreed') resolve(answerWithKey(votes, decision.key));
    };
    update();
    for (const node of nodes) {
      void ask(node).then((vote) => {
        votes.push(vote);
        update();
        if (votes.length === nodes.length) onSettled?.(votes);
      });
    }
  });
}

/**
 * Returns the highest block that `quorum` nodes have reached, given the newest block of each; null if fewer are known.
 * A node that invents a high block cannot raise it above the next honest node.
 */
export function quorumHead(heads: readonly bigint[], quorum: number): bigint | null {
  const descending = heads.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  return descending[quorum - 1] ?? null;
}

/** Returns the answer of more than half of all nodes, unqueried nodes included; null if there is none. */
export function majorityKey(votes: readonly Vote<unknown>[], nodeCount: number): string | null {
  const decision = decide(votes, Math.floor(nodeCount / 2) + 1, 0);
  return decision.kind === 'agreed' ? decision.key : null;
}

/** Serializes an answer so that equal answers have equal texts in any field order. */
export function toAnswerKey(answer: unknown): string {
  const sorted = (_: string, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.stringify(answer, sorted) ?? 'undefined';
}

function answerWithKey<T>(votes: readonly Vote<T>[], key: string): T {
  for (const vote of votes) if (vote.kind === 'answer' && vote.key === key) return vote.answer;
  throw new Error(`No vote has the key ${key}`);
}

/** Maximum length of a shown answer. */
const SHOWN_CHARACTERS = 160;

function describeVote(vote: Vote<unknown>): NodeAnswer {
  const { name } = vote.node;
  if (vote.kind === 'answer') return { node: name, answer: vote.key.slice(0, SHOWN_CHARACTERS) };
  return { node: name, failure: describeFailure(vote.error) };
}

/** Describes why a node gave no answer, without viem's full message, whose URL may contain an API key. */
export function describeFailure(error: unknown): string {
  const short = error instanceof Error && 'shortMessage' in error ? String(error.shortMessage) : undefined;
  return `failed (${short ?? (error instanceof Error ? error.message : String(error))})`;
}
