import { z } from 'zod';
import { addressFilter } from './address-filter.js';
import { blockNumberOrTag } from './block-number-or-tag.js';
import { hash } from './hash.js';
import { topicFilter } from './topic-filter.js';

/** Which logs are wanted, in the form every node takes. */
export interface LogQuery {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  /** Instead of the two above. */
  readonly blockHash?: string;
  readonly address?: readonly string[];
  readonly topics?: readonly (readonly string[] | null)[];
}

const fields = {
  fromBlock: blockNumberOrTag.nullish().describe('The first block; latest when left out.'),
  toBlock: blockNumberOrTag.nullish().describe('The last block; latest when left out.'),
  blockHash: hash.nullish().describe('This block only; not together with fromBlock or toBlock (EIP-234).'),
  address: addressFilter,
  topics: topicFilter,
};

/** A filter object (spec "Standard methods", EIP-234). `pending` means the same as `latest`: logs come into being with a block. */
export const logQuery = z
  .object(fields, 'must be a filter object')
  .superRefine(({ fromBlock, toBlock, blockHash }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (typeof blockHash === 'string' && (fromBlock ?? toBlock ?? null) !== null) {
      refuse('blockHash cannot be combined with fromBlock or toBlock');
    }
    const [from, to] = [numberOf(fromBlock), numberOf(toBlock)];
    if (from !== null && to !== null && from > to) refuse('fromBlock is after toBlock');
  })
  .transform(({ fromBlock, toBlock, blockHash, address, topics }): LogQuery => {
    const range = { fromBlock: minedBlock(fromBlock), toBlock: minedBlock(toBlock) };
    return {
      ...(typeof blockHash === 'string' ? { blockHash } : range),
      ...(address === undefined ? {} : { address }),
      ...(topics === undefined ? {} : { topics }),
    };
  })
  .meta({
    id: 'LogQuery',
    title: 'filter object',
    description: 'Which logs are wanted: a range of blocks or one block, contracts, and topics by position.',
  });

function minedBlock(block: string | null | undefined): string {
  return block === undefined || block === null || block === 'pending' ? 'latest' : block;
}

function numberOf(block: string | null | undefined): bigint | null {
  if (block === 'earliest') return 0n;
  return block?.startsWith('0x') === true ? BigInt(block) : null;
}
