import { hexToBigInt, sliceHex, type Address, type Hex, type PublicClient } from 'viem';
import type { VerifiedLog } from '../blocks/verified-block.js';
import { askNode } from '../rpc/chain-error.js';

/**
 * The events that the origin contract numbers. Each carries its number as the last word of its data. They show whether
 * logs are missing, even when all nodes hide them.
 */
export interface NumberedEvents {
  readonly contract: Address;
  /** First topic of the event, in lower case. */
  readonly topic: Hex;
  /** Call data of the view that returns the next number. */
  readonly counter: Hex;
}

/** The logs of one block. */
interface LogsAt {
  readonly number: bigint;
  readonly logs: readonly VerifiedLog[];
}

/** Whether every number is there. Bounds of blocks are inclusive. */
export type NumberingVerdict =
  | { readonly kind: 'complete'; readonly next: bigint }
  /** The missing events are in these blocks, or before the range when a full proof finds none there. */
  | { readonly kind: 'missing'; readonly from: bigint; readonly to: bigint; readonly reason: string }
  /** A number came twice, or the contract counts fewer than there are. */
  | { readonly kind: 'contradiction'; readonly reason: string };

/** The range, and the facts about its numbers. */
interface NumberingInput {
  readonly from: bigint;
  readonly to: bigint;
  /** Number of the next event after those before the range. */
  readonly next: bigint;
  /** Ascending. */
  readonly blocks: readonly LogsAt[];
  /** The counter of the contract after the range; null when the nodes do not have that state any more. */
  readonly counter: bigint | null;
}

/** Checks that the events of a range have all the numbers that the contract gave out. Pure. */
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
      if (number < expected) return { kind: 'contradiction', reason: `number ${number} comes again in block ${block}` };
      expected += 1n;
      lastBlock = block;
    }
  }
  if (counter === null || counter === expected) return { kind: 'complete', next: expected };
  const reason = `the contract has counted to ${counter}, but the events end before ${expected}`;
  return counter > expected ? { kind: 'missing', from: lastBlock, to, reason } : { kind: 'contradiction', reason };
}

/** The number after the last numbered event of these blocks; null when there is none. */
export function numberAfter(events: NumberedEvents, blocks: readonly LogsAt[]): bigint | null {
  const last = blocks.flatMap(({ logs }) => logs.filter((log) => isNumbered(events, log))).at(-1);
  return last === undefined ? null : decodeNumber(last) + 1n;
}

/**
 * Reads the counter after a block.
 *
 * @throws NodeUnavailableError, NodeRefusedError when the node does not have the state of that block any more.
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
