import { isSignedByKey } from '@causeway/protocol';
import {
  BaseError,
  encodeFunctionData,
  numberToHex,
  padHex,
  parseAbi,
  RpcRequestError,
  size,
  slice,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

/** The methods of `ChainConnection` that a check needs. */
interface Quorum {
  agree<T>(read: (client: PublicClient) => Promise<T>, toKey?: (answer: T) => string): Promise<T>;
  agreedHead(): Promise<bigint>;
}

/** The claim that an account signed a digest. `signature` has no ERC-6492 wrapper. */
interface SignatureClaim {
  readonly account: Address;
  readonly digest: Hex;
  readonly signature: Hex;
}

/**
 * Verdict on a signature.
 *
 * - `refused`: the account's code refuses it. `isDelegated`: the account also has a key, which did not sign (EIP-7702).
 *   `reason` completes "isValidSignature ...".
 * - `no-code`: the account has no code and its key did not sign. `isDeployable`: it has sent no transaction, so it can
 *   still become a contract (EIP-684).
 */
export type SignatureVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly isDelegated: boolean; readonly reason: string }
  | { readonly kind: 'no-code'; readonly isDeployable: boolean };

const ERC1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** The exact answer of an accepting contract. A longer or differently padded answer does not count. */
const ACCEPTED = padHex('0x1626ba7e', { dir: 'right', size: 32 });
/** The answer to isValidSignature(bytes,bytes) of the ERC-1271 drafts. */
const LEGACY = padHex('0x20c13b0b', { dir: 'right', size: 32 });
/**
 * Gas limit of a check, the same for all nodes and far below their call limits, so that an endless loop runs out of gas
 * on each node before its timeout. The most expensive common accounts verify P-256 keys in Solidity, for about 330,000
 * gas each.
 */
const GAS = 5_000_000n;
/** The code of an account that delegates to a contract and keeps its own key (EIP-7702). */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;
/** JSON-RPC code of a reverted execution, of geth and its derivatives. */
const REVERTED = 3;
/**
 * Wording of a failed execution in geth, reth, erigon, nethermind, besu, anvil and the gateway. It must not match the
 * failure of a node, such as "execution aborted (timeout = 5s)".
 */
const EXECUTION_FAILED =
  /\breverted\b|evm error:? \w+$|out ?of ?gas|invalid ?(opcode|jump)|bad ?jump|opcode .* not defined|stack (limit|(over|under)flow)|write protection|return data out of bounds/i;

/**
 * Checks whether an account signed a digest: by ECDSA for an account without code and first for a delegating account
 * (EIP-7702); otherwise by the account's code (ERC-1271).
 *
 * Nodes word a refusal differently, so they must agree on the verdict, not on its words.
 *
 * @param at the block whose state is read. Default: the newest block that a quorum of nodes has reached.
 * @throws QuorumError if too few nodes give the same verdict. The result is then unknown; the caller retries later.
 */
export async function checkAccountSignature(
  chain: Quorum,
  claim: SignatureClaim,
  at?: bigint,
): Promise<SignatureVerdict> {
  const isByKey = await isSignedByKey(claim.digest, claim.signature, claim.account);
  const blockNumber = at ?? (await chain.agreedHead());
  return chain.agree((client) => readVerdict(client, claim, isByKey, blockNumber), toVerdictKey);
}

function toVerdictKey(verdict: SignatureVerdict): string {
  switch (verdict.kind) {
    case 'valid':
      return verdict.kind;
    case 'refused':
      return `${verdict.kind}, delegated: ${verdict.isDelegated}`;
    case 'no-code':
      return `${verdict.kind}, deployable: ${verdict.isDeployable}`;
  }
}

async function readVerdict(
  client: PublicClient,
  claim: SignatureClaim,
  isByKey: boolean,
  blockNumber: bigint,
): Promise<SignatureVerdict> {
  const { account: address } = claim;
  const [code, nonce] = await Promise.all([
    client.getCode({ address, blockNumber }),
    client.getTransactionCount({ address, blockNumber }),
  ]);
  if (code === undefined || code === '0x')
    return isByKey ? { kind: 'valid' } : { kind: 'no-code', isDeployable: nonce === 0 };
  const isDelegated = DELEGATION.test(code);
  if (isDelegated && isByKey) return { kind: 'valid' };
  const reason = await findRefusal(client, claim, blockNumber);
  return reason === null ? { kind: 'valid' } : { kind: 'refused', isDelegated, reason };
}

/** Returns why the account's code refuses; null if it accepts. Throws if the node does not answer. */
async function findRefusal(
  client: PublicClient,
  { account, digest, signature }: SignatureClaim,
  blockNumber: bigint,
): Promise<string | null> {
  const data = encodeFunctionData({ abi: ERC1271, args: [digest, signature] });
  const call = { to: account, data, gas: numberToHex(GAS) };
  try {
    // Not viem's `call`, which follows an OffchainLookup (ERC-3668): the account could make us fetch any URL.
    const answer = await client.request({ method: 'eth_call', params: [call, numberToHex(blockNumber)] });
    return answer.toLowerCase() === ACCEPTED ? null : describe(answer);
  } catch (error) {
    if (!isExecutionFailure(error)) throw error;
    return 'reverts or runs out of gas';
  }
}

function describe(answer: Hex): string {
  if (answer.toLowerCase() === LEGACY) return 'returns 0x20c13b0b, of a draft of ERC-1271, not 0x1626ba7e';
  const length = size(answer);
  if (length !== 32) return `returns ${length} bytes, not 32`;
  return `returns ${slice(answer, 0, 4)}, not 0x1626ba7e`;
}

function isExecutionFailure(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const response = error.walk((cause) => cause instanceof RpcRequestError);
  return response instanceof RpcRequestError && (response.code === REVERTED || EXECUTION_FAILED.test(response.details));
}
