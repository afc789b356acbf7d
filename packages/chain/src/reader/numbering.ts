import { hexToBigInt, sliceHex, type Address, type Hex, type PublicClient } from 'viem';
import type { VerifiedLog } from '../blocks/verified-block.js';
import { askNode } from '../rpc/chain-error.js';

/**
 * The events that the origin contract numbers, with the number in the last word of the data. A gap in the numbers shows
 * missing logs even if all nodes hide them.
 */
export interface NumberedEvents {
  readonly contract: Address;
  /** First topic of the event, lower-case. */
  readonly topic: Hex;
  /** Call data of the view that returns the next number. */
  readonly counter: Hex;
}

/** The logs of one block. */
interface LogsAt {
  readonly number: bigint;
  readonly logs: readonly VerifiedLog[];
}

/** Whether a range has every number. Bounds of blocks are inclusive. */
export type NumberingVerdict =
  | { readonly kind: 'complete'; readonly next: bigint }
  /** The missing events are in these blocks; if a full proof finds none there, they are before the range. */
  | { readonly kind: 'missing'; readonly from: bigint; readonly to: bigint; readonly reason: string }
  /** A number occurs twice, or the contract counts fewer events than were read. */
  | { readonly kind: 'contradiction'; readonly reason: string };

/** The range, and the facts about its numbers. */
interface NumberingInput {
  readonly from: bigint;
  readonly to: bigint;
  /** Expected number of the first event in the range. */
  readonly next: bigint;
  /** Ascending. */
  readonly blocks: readonly LogsAt[];
  /** The contract's counter after the range; null if the nodes have pruned that state. */
  readonly counter: bigint | null;
}

/** Checks that the events of a range have all numbers that the contract assigned. Pure. */
export function checkNumbers(
  events: NumberedEvents,
  { from, to, next, blocks, counter }: NumberingInput,
): NumberingVerdict {
  let expected = next;
  let lastBlock = from;
  for (const { number: block, logs } of blocks) {
    for (const log of logs) {
      if (!isNumbered(events, log)) continue;
      const number = decodeNumber(log);
      if (number > expected)
        return {
          kind: 'missing',
          from: lastBlock,
          to: block,
          reason: `number ${expected} is missing before ${number}`,
        };
      if (number < expected) return { kind: 'contradiction', reason: `number ${number} repeats in block ${block}` };
      expected += 1n;
      lastBlock = block;
    }
  }
  if (counter === null || counter === expected) return { kind: 'complete', next: expected };
  const reason = `the contract's next number is ${counter}, but after the events it is ${expected}`;
  return counter > expected ? { kind: 'missing', from: lastBlock, to, reason } : { kind: 'contradiction', reason };
}

/** Returns the number after the last numbered event of these blocks; null if there is no such event. */
export function numberAfter(events: NumberedEvents, blocks: readonly LogsAt[]): bigint | null {
  const last = blocks.flatMap(({ logs }) => logs.filter((log) => isNumbered(events, log))).at(-1);
  return last === undefined ? null : decodeNumber(last) + 1n;
}

/**
 * Reads the contract's counter after a block.
 *
 * @throws NodeUnavailableError; NodeRefusedError, also if the node has pruned the state of that block.
 */
export async function readCounter(client: PublicClient, events: NumberedEvents, blockNumber: bigint): Promise<bigint> {
  const { data } = await askNode(() => client.call({ to: events.contract, data: events.counter, blockNumber }));
  return data === undefined ? 0n : hexToBigInt(data);
}

function isNumbered({ contract, topic }: NumberedEvents, log: VerifiedLog): boolean {
  return log.topics[0] === topic && log.address === contract.toLowerCase();
}

function decodeNumber({ data }: VerifiedLog): bigint {
  return hexToBigInt(sliceHex(data, -32));
}
