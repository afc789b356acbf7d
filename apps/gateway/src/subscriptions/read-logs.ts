import { z } from 'zod';
import type { ChainLog } from './chain-log.js';

const text = z.string().toLowerCase();
const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,13}$/);
const fields = z.looseObject({
  address: text,
  topics: z.array(text).max(4),
  blockHash: text,
  blockNumber: quantity,
});

/**
 * Reads what eth_getLogs answered.
 *
 * @throws Error when it is no list of logs in blocks.
 */
export function readLogs(answer: unknown): ChainLog[] {
  if (!Array.isArray(answer)) throw new Error('The backend answered no list of logs');
  return answer.map((value: unknown) => {
    const parsed = fields.safeParse(value);
    if (!parsed.success) throw new Error('The backend answered a log that cannot be read', { cause: parsed.error });
    const { address, topics, blockHash, blockNumber } = parsed.data;
    const size = JSON.stringify(value).length;
    return { address, topics, blockHash, blockNumber: Number(blockNumber), value: value as ChainLog['value'], size };
  });
}
