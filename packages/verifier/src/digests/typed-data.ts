import { concatHex, encodeAbiParameters, keccak256, stringToHex, type Address, type Hex } from 'viem';

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
export function hashStruct(
  { chainId, contract }: Domain,
  type: string,
  values: readonly (readonly [type: string, value: unknown])[],
): Hex {
  const domain = encodeWords([
    ['bytes32', hashText(DOMAIN_TYPE)],
    ['bytes32', hashText('Causeway')],
    ['bytes32', hashText('1')],
    ['uint256', BigInt(chainId)],
    ['address', contract],
  ]);
  const struct = encodeWords([['bytes32', hashText(type)], ...values]);
  return keccak256(concatHex(['0x1901', keccak256(domain), keccak256(struct)]));
}

/** abi.encode of values with static types. */
export function encodeWords(values: readonly (readonly [type: string, value: unknown])[]): Hex {
  const types = values.map(([type]) => ({ type }));
  return encodeAbiParameters(
    types,
    values.map(([, value]) => value),
  );
}
