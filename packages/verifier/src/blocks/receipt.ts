import { concatHex, fromRlp, numberToHex, toRlp, type Address, type Hex } from 'viem';
import { BadAnswerError, readBytes, readList, readObject, readQuantity } from './json.js';
import { toRlpInteger, type Rlp } from './rlp.js';

/** A log of a receipt. `logIndex` is its position in the block. Hex is lower-case. */
export interface Log {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly logIndex: number;
}

/** The parts of a receipt that the verifier uses. Its block commits to them. */
export interface Receipt {
  readonly hasSucceeded: boolean;
  readonly logs: readonly Omit<Log, 'logIndex'>[];
}

/**
 * Encodes a node's receipt as in the trie of its block (EIP-2718, EIP-658): the type, then status, cumulative gas,
 * bloom and logs. The rest of the answer is ignored.
 *
 * @throws BadAnswerError
 */
export function encodeReceipt(answer: unknown): Hex {
  const receipt = readObject(answer, 'receipt');
  const logs = readList(receipt['logs'], 'logs').map((entry): Rlp => {
    const log = readObject(entry, 'log');
    const topics = readList(log['topics'], 'topics').map((topic) => readBytes(topic, 'topic', 32));
    return [readBytes(log['address'], 'address', 20), topics, readBytes(log['data'], 'data')];
  });
  const body = toRlp([
    toRlpInteger(readQuantity(receipt['status'], 'status')),
    toRlpInteger(readQuantity(receipt['cumulativeGasUsed'], 'cumulativeGasUsed')),
    readBytes(receipt['logsBloom'], 'logsBloom', 256),
    logs as Hex[],
  ]);
  const type = receipt['type'] === undefined ? 0n : readQuantity(receipt['type'], 'type');
  return type === 0n ? body : concatHex([numberToHex(type, { size: 1 }), body]);
}

/** Decodes a receipt from the trie, so that only data under the root is used. */
export function decodeReceipt(item: Hex): Receipt {
  // The first byte of an RLP list is at least 0xc0; a smaller first byte is a type.
  const body = Number.parseInt(item.slice(2, 4), 16) < 0xc0 ? (`0x${item.slice(4)}` as const) : item;
  const fields = fromRlp(body, 'hex');
  const [status, , , logs] = fields;
  if (typeof fields === 'string' || typeof status !== 'string' || logs === undefined || typeof logs === 'string')
    throw new BadAnswerError('a receipt has an unknown form');
  return { hasSucceeded: status === '0x01', logs: (logs as readonly Rlp[]).map(decodeLog) };
}

function decodeLog(log: Rlp): Omit<Log, 'logIndex'> {
  const [address, topics, data] = log;
  if (typeof address !== 'string' || topics === undefined || typeof topics === 'string' || typeof data !== 'string')
    throw new BadAnswerError('a log has an unknown form');
  return { address: address as Address, topics: topics as readonly Hex[], data: data as Hex };
}
