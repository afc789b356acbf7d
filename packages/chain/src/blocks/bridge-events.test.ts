import { describe, expect, it } from '@jest/globals';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { decodeEventLog, type Hex } from 'viem';
import { decodeArguments, watchedEvents } from './bridge-events.js';

const TX: Hex = `0x${'cd'.repeat(32)}`;

describe('decodeArguments', () => {
  it('decodes every watched event as viem does', () => {
    for (const [side, abi] of [
      ['ethereum', bridgeLockAbi],
      ['partner', bridgeMintAbi],
    ] as const) {
      for (const [topic, event] of watchedEvents(side)) {
        const word = (index: number): Hex => `0x${'0'.repeat(24)}${`${index + 1}`.repeat(40)}`;
        const indexed = event.inputs.filter((input) => input.indexed === true);
        const topics: [Hex, ...Hex[]] = [topic, ...indexed.map((_, index) => word(index))];
        const rest = event.inputs.slice(indexed.length);
        // Small enough for every integer type.
        const data: Hex = `0x${rest.map((_, index) => `${index + 7}`.padStart(64, '0')).join('')}`;
        const log = { address: `0x${'c'.repeat(40)}` as const, topics, data, logIndex: 0, transactionHash: TX };
        const expected = decodeEventLog({ abi, topics, data }) as { args: object };
        const texts = Object.entries(expected.args).map(([name, value]) => [name, String(value).toLowerCase()]);
        expect(decodeArguments(event, log)).toEqual(Object.fromEntries(texts));
      }
    }
  });
});
