import { fromRlp, keccak256, toRlp, type Hex } from 'viem';
import { BadAnswerError, readBytes, readObject, readQuantity, type JsonObject } from './json.js';
import { toRlpInteger, type Rlp } from './rlp.js';

/** The header fields that the verifier uses. All of them are covered by `hash`, which is computed. */
export interface Header {
  /** As hashed. */
  readonly encoded: Hex;
  readonly number: bigint;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
}

type Field = readonly [name: string, kind: 'bytes' | 'integer'];

/** The fields of every header, in the order of its RLP (Yellow Paper 4.4). */
const FIELDS: readonly Field[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'integer'],
  ['number', 'integer'],
  ['gasLimit', 'integer'],
  ['gasUsed', 'integer'],
  ['timestamp', 'integer'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
];

/** The fields of later forks, in order: EIP-1559, 4895, 4844, 4844, 4788, 7685. A header has a prefix of this list. */
const LATER_FIELDS: readonly Field[] = [
  ['baseFeePerGas', 'integer'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'integer'],
  ['excessBlobGas', 'integer'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
];

/**
 * Reads a header from a node and computes its hash. If a fork adds a field, headers cannot be read until the field is
 * in the list above, and the verifier waits.
 *
 * @throws BadAnswerError when the fields do not hash to the hash that the node names.
 */
export function readHeader(answer: unknown): Header {
  const block = readObject(answer, 'block');
  const later = LATER_FIELDS.filter(([name]) => block[name] !== undefined && block[name] !== null);
  const header = decodeHeader(toRlp([...FIELDS, ...later].map((field) => encodeField(block, field))));
  if (readBytes(block['hash'], 'hash', 32) !== header.hash)
    throw new BadAnswerError(`the header gives the hash ${header.hash}, not ${String(block['hash'])}`);
  return header;
}

/**
 * Decodes a header, and computes its hash.
 *
 * @throws BadAnswerError
 */
export function decodeHeader(encoded: Hex): Header {
  const fields: Rlp = fromRlp(encoded, 'hex');
  if (typeof fields === 'string') throw new BadAnswerError('a header has an unknown form');
  const read = (name: string) => {
    const field = fields[FIELDS.findIndex(([each]) => each === name)];
    return readBytes(field, name, name.endsWith('Root') ? 32 : undefined);
  };
  const readInteger = (name: string) => BigInt(read(name) === '0x' ? 0 : read(name));
  return {
    encoded,
    number: readInteger('number'),
    hash: keccak256(encoded),
    timestamp: readInteger('timestamp'),
    stateRoot: read('stateRoot'),
    transactionsRoot: read('transactionsRoot'),
    receiptsRoot: read('receiptsRoot'),
  };
}

function encodeField(block: JsonObject, [name, kind]: Field): Hex {
  return kind === 'integer' ? toRlpInteger(readQuantity(block[name], name)) : readBytes(block[name], name);
}
