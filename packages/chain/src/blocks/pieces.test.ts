import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AnswerTooLargeError, NodeUnavailableError } from '../rpc/chain-error.js';
import { inPieces } from './pieces.js';

/** A node that serves at most `limit` concurrent requests. */
function limited(limit: number) {
  let pending = 0;
  return async (item: number): Promise<number> => {
    pending += 1;
    await Promise.resolve();
    const isTooMany = pending > limit;
    await Promise.resolve();
    pending -= 1;
    if (isTooMany) throw new AnswerTooLargeError();
    return item;
  };
}

describe('inPieces', () => {
  it('returns all results in order, whatever the limit of the node', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        async (items, limit) => {
          expect(await inPieces(items, limited(limit))).toEqual(items);
        },
      ),
    );
  });

  it('throws if a single request is too large', async () => {
    await expect(inPieces([1, 2, 3], limited(0))).rejects.toThrow(AnswerTooLargeError);
  });

  it('does not retry an unavailable node', async () => {
    let asked = 0;
    const away = async () => {
      asked += 1;
      throw new NodeUnavailableError('down');
    };
    await expect(inPieces([1, 2, 3, 4], away, 2)).rejects.toThrow(NodeUnavailableError);
    expect(asked).toBe(2);
  });
});
