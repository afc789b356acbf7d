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
  const list = answers.map((answer, index) => ({ request: async () => (asked.push(index), answer()) }));
  return { asked, list };
}

describe('askInOrder', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['is down', away],
    ['lags', refusing(-32000, 'header not found')],
    ['limits requests', refusing(-32005, 'rate limit exceeded')],
    ['lacks a method', refusing(-32601, 'the method eth_getBlockReceipts does not exist')],
  ])('asks the next node when one %s', async (_, first) => {
    const { asked, list } = nodes(first, answering('yes'), answering('no'));
    expect(await askInOrder(list, { method: 'eth_call' })).toBe('yes');
    expect(asked).toEqual([0, 1]);
  });

  it('returns a revert without asking another node', async () => {
    const { asked, list } = nodes(refusing(3, 'execution reverted: Paused'), answering('yes'));
    await expect(askInOrder(list, { method: 'eth_call' })).rejects.toThrow('Paused');
    expect(asked).toEqual([0]);
  });

  it('throws the refusal of a node rather than the failure of one that is down', async () => {
    const { list } = nodes(away, refusing(-32000, 'nonce too low'), away);
    await expect(askInOrder(list, { method: 'eth_call' })).rejects.toThrow('nonce too low');
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
