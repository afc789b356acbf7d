import type { Question } from './question.js';
import { readHeader } from './read-header.js';

/**
 * Whether an answer shows that the node has not yet reached the head that clients have seen already: then another node is asked, so that
 * nobody sees the chain go back when the first node fails.
 *
 * @param head the highest block number that was told to anybody, or null.
 */
export function isBehind(question: Question, result: unknown, head: number | null): boolean {
  const { method } = question;
  if (head === null) return false;
  if (method === 'eth_blockNumber') return Number(result) < head;
  if (method !== 'eth_getBlockByNumber') return false;
  const block = question.params?.[0];
  if (block === 'latest') return Number(readHeader(result)?.number ?? head) < head;
  return result === null && typeof block === 'string' && block.startsWith('0x') && Number(block) <= head;
}
