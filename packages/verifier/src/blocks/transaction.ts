import { concatHex, keccak256, numberToHex, recoverAddress, toRlp, type Address, type Hex } from 'viem';
import { BadAnswerError, readBytes, readList, readObject, readQuantity, type JsonObject } from './json.js';
import { toRlpInteger, type Rlp } from './rlp.js';

/** A transaction as its block commits to it. */
export interface Transaction {
  /** As encoded in the trie of its block. */
  readonly encoded: Hex;
  readonly hash: Hex;
  /** Null for a contract creation. */
  readonly to: Address | null;
  /** In wei of JSON-RPC. */
  readonly value: bigint;
  readonly input: Hex;
  /** The account whose key signed it. */
  readonly recoverSender: () => Promise<Address>;
}

/** The fields since EIP-1559. */
const FEE_MARKET_FIELDS = [
  'chainId',
  'nonce',
  'maxPriorityFeePerGas',
  'maxFeePerGas',
  'gas',
  'to',
  'value',
  'input',
  'accessList',
];
/** The fields of each type before its signature (Yellow Paper 4.3; EIP-2930, 1559, 4844, 7702). */
const FIELDS: Readonly<Record<number, readonly string[]>> = {
  0: ['nonce', 'gasPrice', 'gas', 'to', 'value', 'input'],
  1: ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'accessList'],
  2: FEE_MARKET_FIELDS,
  3: [...FEE_MARKET_FIELDS, 'maxFeePerBlobGas', 'blobVersionedHashes'],
  4: [...FEE_MARKET_FIELDS, 'authorizationList'],
};

/**
 * Encodes a node's transaction, and computes its hash from the encoding.
 *
 * @throws BadAnswerError also for an unknown type, since its block cannot be proven.
 */
export function readTransaction(answer: unknown): Transaction {
  const transaction = readObject(answer, 'transaction');
  const type = transaction['type'] === undefined ? 0 : Number(readQuantity(transaction['type'], 'type'));
  const names = FIELDS[type];
  if (names === undefined) throw new BadAnswerError(`a transaction of type ${type} is not known`);
  const fields = names.map((name) => readField(transaction, name));
  const [r, s] = [readQuantity(transaction['r'], 'r'), readQuantity(transaction['s'], 's')];
  const v = type === 0 ? readQuantity(transaction['v'], 'v') : readParity(transaction);
  const encoded = envelope(type, [...fields, toRlpInteger(v), toRlpInteger(r), toRlpInteger(s)]);
  return {
    encoded,
    hash: keccak256(encoded),
    to: readTo(transaction['to']),
    value: readQuantity(transaction['value'], 'value'),
    input: readBytes(transaction['input'], 'input'),
    recoverSender: async () => {
      const hash = keccak256(envelope(type, [...fields, ...(type === 0 ? replayFields(v) : [])]));
      const yParity = type === 0 && v >= 27n ? Number((v + 1n) % 2n) : Number(v);
      const signature = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }), yParity };
      return (await recoverAddress({ hash, signature })).toLowerCase() as Address;
    },
  };
}

function envelope(type: number, fields: readonly Rlp[]): Hex {
  const body = toRlp(fields as Hex[]);
  return type === 0 ? body : concatHex([numberToHex(type, { size: 1 }), body]);
}

/** Since EIP-155, legacy transactions sign their chain: v is twice the chain id plus 35 or 36. */
function replayFields(v: bigint): Rlp[] {
  return v < 35n ? [] : [toRlpInteger((v - 35n) / 2n), '0x', '0x'];
}

function readParity(transaction: JsonObject): bigint {
  return readQuantity(transaction['yParity'] ?? transaction['v'], 'yParity');
}

function readTo(value: unknown): Address | null {
  return value === null || value === undefined ? null : readBytes(value, 'to', 20);
}

function readField(transaction: JsonObject, name: string): Rlp {
  const value = transaction[name];
  switch (name) {
    case 'to':
      return readTo(value) ?? '0x';
    case 'input':
      return readBytes(value, name);
    case 'accessList':
      return readList(value, name).map((entry) => {
        const { address, storageKeys } = readObject(entry, name);
        const keys = readList(storageKeys, 'storageKeys').map((key) => readBytes(key, 'storageKey', 32));
        return [readBytes(address, 'address', 20), keys];
      });
    case 'blobVersionedHashes':
      return readList(value, name).map((hash) => readBytes(hash, name, 32));
    case 'authorizationList':
      return readList(value, name).map(readAuthorization);
    default:
      return toRlpInteger(readQuantity(value, name));
  }
}

function readAuthorization(entry: unknown): Rlp {
  const authorization = readObject(entry, 'authorizationList');
  const integer = (name: string) => toRlpInteger(readQuantity(authorization[name], name));
  const parity = toRlpInteger(readParity(authorization));
  const address = readBytes(authorization['address'], 'address', 20);
  return [integer('chainId'), address, integer('nonce'), parity, integer('r'), integer('s')];
}
