import {
  concatHex,
  fromRlp,
  keccak256,
  numberToHex,
  recoverAddress,
  toRlp,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
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
  /** The accounts that delegate by it, or end their delegation (EIP-7702). */
  readonly recoverAuthorities: () => Promise<readonly Address[]>;
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
 * Encodes a node's transaction as in the trie of its block.
 *
 * @throws BadAnswerError also for an unknown type, since its block cannot be proven.
 */
export function encodeTransaction(answer: unknown): Hex {
  const transaction = readObject(answer, 'transaction');
  const type = transaction['type'] === undefined ? 0 : Number(readQuantity(transaction['type'], 'type'));
  const fields = listFields(type).map((name) => readField(transaction, name));
  const signature = ['r', 's'].map((name) => readQuantity(transaction[name], name));
  const v = type === 0 ? readQuantity(transaction['v'], 'v') : readParity(transaction);
  return envelope(type, [...fields, ...[v, ...signature].map(toRlpInteger)]);
}

/**
 * Decodes a transaction from the trie, so that only data under the root is used.
 *
 * @throws BadAnswerError
 */
export function decodeTransaction(encoded: Hex): Transaction {
  // The first byte of an RLP list is at least 0xc0; a smaller first byte is a type.
  const first = Number.parseInt(encoded.slice(2, 4), 16);
  const [type, body] = first < 0xc0 ? [first, `0x${encoded.slice(4)}` as const] : [0, encoded];
  const names = listFields(type);
  const items: Rlp = fromRlp(body, 'hex');
  if (typeof items === 'string' || items.length !== names.length + 3)
    throw new BadAnswerError('a transaction has an unknown form');
  const read = (index: number): Hex => {
    const item = items[index];
    if (typeof item !== 'string') throw new BadAnswerError('a transaction has an unknown form');
    return item;
  };
  const readInteger = (index: number) => BigInt(read(index) === '0x' ? 0 : read(index));
  const [v, r, s] = [0, 1, 2].map((index) => readInteger(names.length + index)) as [bigint, bigint, bigint];
  const to = read(names.indexOf('to'));
  return {
    encoded,
    hash: keccak256(encoded),
    to: to === '0x' ? null : to,
    value: readInteger(names.indexOf('value')),
    input: read(names.indexOf('input')),
    recoverSender: async () => {
      const fields = items.slice(0, names.length);
      const hash = keccak256(envelope(type, [...fields, ...(type === 0 ? replayFields(v) : [])]));
      const yParity = type === 0 && v >= 27n ? Number((v + 1n) % 2n) : Number(v);
      const signature = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }), yParity };
      return (await recoverAddress({ hash, signature })).toLowerCase() as Address;
    },
    recoverAuthorities: async () => {
      const list = items[names.indexOf('authorizationList')] ?? [];
      return Promise.all(typeof list === 'string' ? [] : list.map(recoverAuthority));
    },
  };
}

/** A signature that no account made authorizes nothing: the zero address stands for it. */
async function recoverAuthority(entry: Rlp): Promise<Address> {
  const [chainId = '0x', address = '0x', nonce = '0x', yParity = '0x', r = '0x', s = '0x'] = entry as readonly Hex[];
  const toNumber = (item: Hex) => (item === '0x' ? 0 : Number(item));
  try {
    const signed = { chainId: toNumber(chainId), address, nonce: toNumber(nonce), yParity: toNumber(yParity), r, s };
    return (await recoverAuthorizationAddress({ authorization: signed })).toLowerCase() as Address;
  } catch {
    return zeroAddress;
  }
}

function listFields(type: number): readonly string[] {
  const names = FIELDS[type];
  if (names === undefined) throw new BadAnswerError(`a transaction of type ${type} is not known`);
  return names;
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
