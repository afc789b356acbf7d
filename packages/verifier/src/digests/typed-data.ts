import { concatHex, keccak256, numberToHex, stringToHex, type Address, type Hex } from 'viem';

/** The contract whose EIP-712 domain signs a message (contracts/src/libraries/TypedData.sol). */
export interface Domain {
  readonly chainId: number;
  readonly contract: Address;
}

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

/** Hashes text like EIP-712. Text that looks like hex is still treated as text. */
export function hashText(text: string): Hex {
  return keccak256(stringToHex(text));
}

/**
 * The EIP-712 digest of a struct. `type`: its type string. `values`: ABI types and values, in the order of the type.
 */
export function hashStruct(domain: Domain, type: string, values: Parameters<typeof encodeWords>[0]): Hex {
  const separator = remember(separators, domain, hashDomain);
  const typeHash = remember(typeHashes, type, hashText);
  const struct = encodeWords([['bytes32', typeHash], ...values]);
  return keccak256(concatHex(['0x1901', separator, keccak256(struct)]));
}

/** They are the same for all intents of a ledger: computing them would take most of the time. */
const separators = new WeakMap<Domain, Hex>();
const typeHashes = new Map<string, Hex>();

function remember<K>(
  known: { get(key: K): Hex | undefined; set(key: K, hash: Hex): unknown },
  key: K,
  compute: (key: K) => Hex,
): Hex {
  const found = known.get(key);
  if (found !== undefined) return found;
  const hash = compute(key);
  known.set(key, hash);
  return hash;
}

function hashDomain({ chainId, contract }: Domain): Hex {
  return keccak256(
    encodeWords([
      ['bytes32', hashText(DOMAIN_TYPE)],
      ['bytes32', hashText('Causeway')],
      ['bytes32', hashText('1')],
      ['uint256', BigInt(chainId)],
      ['address', contract],
    ]),
  );
}

/** The bytes of a value of each type. */
const SIZES = { address: 20, bytes32: 32, uint64: 8, uint256: 32 } as const;

/**
 * abi.encode of values with static types. A ledger encodes the terms of every intent, and viem's encodeAbiParameters
 * took 7 % of its time.
 */
export function encodeWords(values: readonly (readonly [type: keyof typeof SIZES, value: Hex | bigint])[]): Hex {
  return `0x${values.map(([type, value]) => toWord(type, value)).join('')}`;
}

function toWord(type: keyof typeof SIZES, value: Hex | bigint): string {
  const hex = typeof value === 'bigint' ? numberToHex(value, { size: SIZES[type] }) : value.toLowerCase();
  if (hex.length !== 2 + 2 * SIZES[type]) throw new RangeError(`${value} is not of the type ${type}`);
  return hex.slice(2).padStart(64, '0');
}
