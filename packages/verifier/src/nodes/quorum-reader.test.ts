import { describe, expect, it } from '@jest/globals';
import { readQuantity } from '../blocks/json.js';
import { NoQuorumError, QuorumReader, type Ask } from './quorum-reader.js';

type Answer = () => Promise<unknown>;

const says =
  (value: string, afterMs = 0): Answer =>
  async () => {
    if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
    return value;
  };
const fails =
  (message: string): Answer =>
  async () => {
    throw new Error(message);
  };

/** Asks nodes named a, b, c, and lists who dissented. */
async function ask(answers: readonly Answer[]) {
  const dissents: string[] = [];
  const reader = new QuorumReader({
    chain: 'test',
    nodes: answers.map((request, index) => ({ name: 'abc'.charAt(index), client: { request } })),
    quorum: 2,
    timeoutMs: 30,
    onDissent: (node, kind, question) => void dissents.push(`${node} ${kind} ${question}`),
  });
  const read = async (request: Ask) => readQuantity(await request('eth_gasPrice', []), 'gasPrice');
  const result = await reader.agree('a price', read).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 40));
  return { result, dissents };
}

describe('a node without whose answer a question was decided', () => {
  it.each<readonly [string, readonly Answer[], readonly string[]]>([
    ['is nobody when all agree', [says('0x1'), says('0x1'), says('0x1')], []],
    ['is named before the decision', [says('0x2'), says('0x1'), says('0x1')], ['a DIFFERS a price']],
    ['is named after the decision', [says('0x1'), says('0x1'), says('0x2', 10)], ['c DIFFERS a price']],
    ['can have no answer', [fails('connection refused'), says('0x1'), says('0x1')], ['a AWAY a price']],
    ['can be too late', [says('0x1'), says('0x1'), says('0x1', 60)], ['c AWAY a price']],
    ['can have dropped the state', [says('0x1'), fails('missing trie node'), says('0x1')], ['b PRUNED a price']],
    ['can answer with nonsense', [says('what'), says('0x1'), says('0x1')], ['a DIFFERS a price']],
  ])('%s', async (_, answers, expected) => {
    expect(await ask(answers)).toEqual({ result: 1n, dissents: expected });
  });

  it('is nobody without a decision: the error names all', async () => {
    const { result, dissents } = await ask([says('0x1'), says('0x2'), fails('connection refused')]);
    expect(result).toBeInstanceOf(NoQuorumError);
    expect(dissents).toEqual([]);
  });
});
