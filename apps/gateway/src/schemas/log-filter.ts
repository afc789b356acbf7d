import { z } from 'zod';
import { address, blockNumberOrTag, hash } from './primitives.js';

/** A log query in the form that every node accepts. */
export interface LogQuery {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: readonly string[];
  readonly topics?: readonly (readonly string[] | null)[];
}

const MAX_ADDRESSES = 1_000;
const MAX_TOPICS = 1_000;
const POSITIONS = 4;
const ADDRESSES = 'must be an address or an array of at most 1,000 addresses';
const TOPICS = 'must be a topic (0x and 64 hex digits), null for any, or an array of at most 1,000 topics';

/** Contracts to match, as a list; undefined for all. */
const addressFilter = z
  .union([address, z.array(address).max(MAX_ADDRESSES, ADDRESSES)], ADDRESSES)
  .nullish()
  .transform((value): readonly string[] | undefined => {
    if (typeof value === 'string') return [value];
    return (value ?? []).length === 0 ? undefined : [...new Set(value)];
  })
  .describe('A contract, or a list of alternatives. Default: all.');

const position = z.union([hash, z.null(), z.array(hash.nullable()).max(MAX_TOPICS, TOPICS)], TOPICS);

/** Topics to match by position; null for any. A list that is empty or contains null means any, as in geth. */
const topicFilter = z
  .array(position, 'must be an array')
  .max(POSITIONS, 'must have at most 4 positions')
  .nullish()
  .transform((positions): readonly (readonly string[] | null)[] | undefined => {
    if ((positions ?? []).length === 0) return undefined;
    return positions?.map((topics) => alternatives(typeof topics === 'string' ? [topics] : topics));
  })
  .describe('By position: a topic, null for any, or an array of alternatives.');

function alternatives(topics: readonly (string | null)[] | null): readonly string[] | null {
  if (topics === null || topics.length === 0) return null;
  const known = topics.filter((topic) => topic !== null);
  return known.length < topics.length ? null : [...new Set(known)];
}

const queryFields = {
  fromBlock: blockNumberOrTag.nullish().describe('The first block. Default: latest.'),
  toBlock: blockNumberOrTag.nullish().describe('The last block. Default: latest.'),
  blockHash: hash.nullish().describe('Only this block; cannot be combined with fromBlock or toBlock (EIP-234).'),
  address: addressFilter,
  topics: topicFilter,
};

/** A filter object (spec "Standard methods", EIP-234). `pending` means `latest`, since only mined blocks have logs. */
export const logQuery = z
  .object(queryFields, 'must be a filter object')
  .superRefine(({ fromBlock, toBlock, blockHash }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (typeof blockHash === 'string' && (fromBlock ?? toBlock ?? null) !== null) {
      refuse('blockHash cannot be combined with fromBlock or toBlock');
    }
    const [from, to] = [parseBlockNumber(fromBlock), parseBlockNumber(toBlock)];
    if (from !== null && to !== null && from > to) refuse('fromBlock is after toBlock');
  })
  .transform(({ fromBlock, toBlock, blockHash, address: addresses, topics }): LogQuery => {
    const range = { fromBlock: minedBlock(fromBlock), toBlock: minedBlock(toBlock) };
    return {
      ...(typeof blockHash === 'string' ? { blockHash } : range),
      ...(addresses === undefined ? {} : { address: addresses }),
      ...(topics === undefined ? {} : { topics }),
    };
  })
  .meta({
    id: 'LogQuery',
    title: 'filter object',
    description: 'The logs to match: a block range or one block, contracts, and topics by position.',
  });

function minedBlock(block: string | null | undefined): string {
  return block === undefined || block === null || block === 'pending' ? 'latest' : block;
}

function parseBlockNumber(block: string | null | undefined): bigint | null {
  if (block === 'earliest') return 0n;
  return block?.startsWith('0x') === true ? BigInt(block) : null;
}

const subscriptionFields = {
  address: addressFilter,
  topics: topicFilter,
  blockHash: z.null('is not supported here; use eth_getLogs').optional(),
};

/** The second param of eth_subscribe: a filter for logs. Some clients send `false` for no filter. */
export const subscribedLogs = z
  .preprocess(
    (value) => (value === false ? undefined : value),
    z.object(subscriptionFields, 'must be an object, for logs only').optional(),
  )
  .transform((value) => ({
    ...(value?.address === undefined ? {} : { address: value.address }),
    ...(value?.topics === undefined ? {} : { topics: value.topics }),
  }))
  .describe(
    'For logs: the contracts and topics. Default: all. A block range is ignored, because a subscription delivers only new logs.',
  );
