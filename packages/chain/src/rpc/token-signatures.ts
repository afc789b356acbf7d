import type { TypedDataDomain } from '@causeway/protocol';
import {
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  BaseError,
  domainSeparator,
  keccak256,
  parseAbi,
  stringToBytes,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

/** Signatures by which an account can transfer a token. */
export interface TokenSignatures {
  readonly domain: TypedDataDomain;
  /** The account's next ERC-2612 nonce; null for a token without permits. */
  readonly permitNonce: bigint | null;
  /** Whether the token supports `receiveWithAuthorization` of ERC-3009. */
  readonly hasAuthorization: boolean;
}

const TOKEN = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address owner) view returns (uint256)',
  'function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns (bytes32)',
]);
/** ERC-3009. */
const RECEIVE_TYPE_HASH = keccak256(
  stringToBytes(
    'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
);

/**
 * Reads which signatures of an account a token accepts. The domain is used only if its hash equals the token's
 * DOMAIN_SEPARATOR, so a signature under it always has the form that the token expects.
 *
 * @returns null for an account with code, whose signatures the bridge cannot relay, and for a token that accepts none.
 */
export async function readTokenSignatures(
  client: PublicClient,
  token: { readonly address: Address; readonly chainId: number },
  account: Address,
  blockNumber: bigint,
): Promise<TokenSignatures | null> {
  const call = { address: token.address, abi: TOKEN, blockNumber } as const;
  const [code, name, version, separator, permitNonce, typeHash] = await Promise.all([
    client.getCode({ address: account, blockNumber }),
    nullIfMissing<string>(client.readContract({ ...call, functionName: 'name' })),
    nullIfMissing<string>(client.readContract({ ...call, functionName: 'version' })),
    nullIfMissing<Hex>(client.readContract({ ...call, functionName: 'DOMAIN_SEPARATOR' })),
    nullIfMissing<bigint>(client.readContract({ ...call, functionName: 'nonces', args: [account] })),
    nullIfMissing<Hex>(client.readContract({ ...call, functionName: 'RECEIVE_WITH_AUTHORIZATION_TYPEHASH' })),
  ]);
  if ((code !== undefined && code !== '0x') || name === null) return null;
  const domain = { name, version: version ?? '1', chainId: token.chainId, verifyingContract: token.address };
  if (separator !== domainSeparator({ domain })) return null;
  return { domain, permitNonce, hasAuthorization: typeHash === RECEIVE_TYPE_HASH };
}

/** Returns null if the contract lacks the function. A missing answer is an error. */
async function nullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const isMissing = (cause: unknown) =>
      cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
    if (error instanceof BaseError && error.walk(isMissing) !== null) return null;
    throw error;
  }
}
