import { describe, expect, it } from '@jest/globals';
import { HttpRequestError, RpcRequestError } from 'viem';
import { askInOrder, sendToAll } from './failover.js';

const url = 'http://node.example';
const away = () => Promise.reject(new HttpRequestError({ url }));
const refusing = (code: number, message: string) => () =>
  Promise.reject(new RpcRequestError({ body: {}, url, error: { code, message } }));
const answering = (answer: string) => () => Promise.resolve(answer);
const never = () => new Promise(() => undefined);

function nodes(...answers: (() => Promise<unknown>)[]) {
  const asked: number[] = [];
  const list = answers.map((answer, index) => ({
    isSlow: false,
    request: async () => (asked.push(index), answer()),
  }));
  return { asked, list };
}

type Nodes = ReturnType<typeof nodes>['list'];
const ask = (list: Nodes, reviews = new Set<() => void>()) => askInOrder(list, (node) => node.request(), reviews);

describe('askInOrder', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['is down', away],
    ['lags', refusing(-32000, 'header not found')],
    ['limits requests', refusing(-32005, 'rate limit exceeded')],
    ['lacks a method', refusing(-32601, 'the method eth_getBlockReceipts does not exist')],
  ])('asks the next node when one %s', async (_, first) => {
    const { asked, list } = nodes(first, answering('yes'), answering('no'));
    expect(await ask(list)).toBe('yes');
    expect(asked).toEqual([0, 1]);
  });

  it('returns a revert without asking another node', async () => {
    const { asked, list } = nodes(refusing(3, 'execution reverted: Paused'), answering('yes'));
    await expect(ask(list)).rejects.toThrow('Paused');
    expect(asked).toEqual([0]);
  });

  it('throws the refusal of a node rather than the failure of one that is down', async () => {
    const { list } = nodes(away, refusing(-32000, 'nonce too low'), away);
    await expect(ask(list)).rejects.toThrow('nonce too low');
  });

  it('asks the next node too when one is slow, whose answer still counts', async () => {
    const reviews = new Set<() => void>();
    const review = () => reviews.forEach((each) => each());
    let answerLate: (answer: string) => void = () => undefined;
    const { asked, list } = nodes(() => new Promise((resolve) => (answerLate = resolve)), never, answering('no'));
    const answer = ask(list, reviews);
    review();
    expect(asked).toEqual([0]);
    for (const node of list) node.isSlow = true;
    review();
    expect(asked).toEqual([0, 1]);
    answerLate('late');
    expect(await answer).toBe('late');
    expect(reviews.size).toBe(0);
  });
});

describe('sendToAll', () => {
  it('sends to every node, and returns when the first accepts', async () => {
    const { asked, list } = nodes(never, refusing(-32000, 'nonce too low'), answering('0xhash'));
    expect(await sendToAll(list, { method: 'eth_sendRawTransaction' })).toBe('0xhash');
    expect(asked).toEqual([0, 1, 2]);
  });

  it('throws the refusal when none accepts', async () => {
    const { list } = nodes(away, refusing(-32000, 'insufficient funds'));
    await expect(sendToAll(list, { method: 'eth_sendRawTransaction' })).rejects.toThrow('insufficient funds');
  });
});
