import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NodeRefusedError, NodeUnavailableError } from '../rpc/chain-error.js';
import { grown, halved, lessAtHead, moreAtHead, startingSize, suggestedBlocks } from './reading-size.js';

describe('a reading size', () => {
  it('doubles up to the maximum, is halved after a failure, and then grows slowly', () => {
    let size = startingSize(2_000, 10_000);
    const after = (read: number) => (size = grown(size, read)).blocks;
    expect([after(2_000), after(4_000), after(8_000), after(10_000)]).toEqual([4_000, 8_000, 10_000, 10_000]);
    size = halved(size);
    expect([size.blocks, after(5_000), after(5_625)]).toEqual([5_000, 5_625, 6_329]);
  });

  it('does not grow after a step that read less', () => {
    expect(grown(startingSize(16, 64), 1).blocks).toBe(16);
  });

  it('has as many blocks as have about 10,000 logs', () => {
    const size = startingSize(200, 10_000);
    expect(grown(size, 200, 80_000).blocks).toBe(25);
    expect(grown(size, 200, 8_000).blocks).toBe(250);
    expect(grown(size, 200, 1).blocks).toBe(400);
    expect(grown(startingSize(1, 10_000), 1, 50_000).blocks).toBe(1);
  });

  it("becomes the node's limit if that is lower", () => {
    const size = startingSize(2_000, 10_000);
    expect(halved(size, 500).blocks).toBe(500);
    expect(halved(size, 5_000).blocks).toBe(1_000);
    expect(halved(size, 0).blocks).toBe(1_000);
  });

  it('stays between one and the maximum, and returns to the maximum', () => {
    const event = fc.option(fc.integer({ min: -5, max: 20_000 }));
    fc.assert(
      fc.property(fc.array(event), fc.integer({ min: 1, max: 10_000 }), (events, most) => {
        let size = startingSize(2_000, most);
        for (const suggested of events) {
          size = suggested === null ? grown(size, size.blocks) : halved(size, suggested);
          expect(size.blocks >= 1 && size.blocks <= most).toBe(true);
        }
        for (let step = 0; step < 100; step += 1) size = grown(size, size.blocks);
        expect(size.blocks).toBe(most);
      }),
    );
  });
});

describe('reading at the head', () => {
  it('shrinks to single receipts, and grows back to whole blocks', () => {
    let reading = { size: startingSize(4, 64), pieces: null as number | null };
    const seen = [reading];
    for (let step = 0; step < 6; step += 1) seen.push((reading = lessAtHead(reading, true, 16)));
    const shown = seen.map(({ size, pieces }) => pieces ?? `${size.blocks} blocks`);
    expect(shown).toEqual(['4 blocks', '2 blocks', '1 blocks', 16, 4, 1, 1]);
    const pieces = [2, 4, 8, 16, null].map(() => (reading = moreAtHead(reading, 1, 16)).pieces);
    expect(pieces).toEqual([2, 4, 8, 16, null]);
    expect(reading.size.blocks).toBe(1);
    expect(moreAtHead(reading, 1, 16).size.blocks).toBe(2);
  });

  it('drops to one block if a node does not answer, and doubles back to half', () => {
    let reading = lessAtHead({ size: startingSize(64, 64), pieces: null }, false, 16);
    const sizes = [1, 2, 4, 8, 16, 32].map((read) => {
      expect(reading.size.blocks).toBe(read);
      return (reading = moreAtHead(reading, read, 16)).size.blocks;
    });
    expect(sizes).toEqual([2, 4, 8, 16, 32, 36]);
    expect(lessAtHead({ size: startingSize(1, 64), pieces: null }, false, 16).pieces).toBe(16);
  });
});

describe('suggestedBlocks', () => {
  it.each<[string, number | null]>([
    ['range 1000000 exceeds limit of 10000', 10_000],
    ['requested too many blocks from 1 to 9000, maximum is set to 2048', 2_048],
    ['Max range: 800', 800],
    ['query exceeds max block range 5000', 5_000],
    ['You can make eth_getLogs requests with up to a 500 block range', 500],
    ['Try with this block range [0x10, 0x1f].', 16],
    ['query returned more than 10000 results', null],
    ['rate limit exceeded', null],
    ['', null],
  ])('%s', (reason, blocks) => {
    expect(suggestedBlocks(new NodeRefusedError(-32_000, reason, undefined))).toBe(blocks);
  });

  it('finds no limit in the error of an unavailable node', () => {
    expect(suggestedBlocks(new NodeUnavailableError('limit of 5'))).toBeNull();
  });
});
