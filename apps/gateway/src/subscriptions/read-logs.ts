import { z } from 'zod';
import { Pauses } from '../turns/pauses.js';
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
 * Reads what eth_getLogs answered, with pauses: a block may have a hundred thousand logs.
 *
 * @throws Error when it is no list of logs in blocks.
 */
export async function readLogs(answer: unknown): Promise<ChainLog[]> {
  if (!Array.isArray(answer)) throw new Error('The backend answered no list of logs');
  const pauses = new Pauses();
  const logs: ChainLog[] = [];
  for (const value of answer as readonly unknown[]) {
    logs.push(readLog(value));
    await pauses.after(1);
  }
  return logs;
}

function readLog(value: unknown): ChainLog {
  const parsed = fields.safeParse(value);
  if (!parsed.success) throw new Error('The backend answered a log that cannot be read', { cause: parsed.error });
  const { address, topics, blockHash, blockNumber } = parsed.data;
  const size = JSON.stringify(value).length;
  return { address, topics, blockHash, blockNumber: Number(blockNumber), value: value as ChainLog['value'], size };
}
