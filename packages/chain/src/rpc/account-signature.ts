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

/** The part of a `ChainConnection` that a check needs. */
interface Quorum {
  agree<T>(read: (client: PublicClient) => Promise<T>, toKey?: (answer: T) => string): Promise<T>;
  agreedHead(): Promise<bigint>;
}

/** The claim of a signature: that an account signed a digest. `signature` without a wrapper of ERC-6492. */
interface SignatureClaim {
  readonly account: Address;
  readonly digest: Hex;
  readonly signature: Hex;
}

/**
 * Whether an account signed.
 *
 * - `refused`: its code refuses. `isDelegated`: it also has a key, which did not sign (EIP-7702). `reason` completes
 *   "isValidSignature ...".
 * - `no-code`: it has no code, and its key did not sign. `isDeployable`: it has sent no transaction, so it may still
 *   become a contract (EIP-684). One that has sent some never will.
 */
export type SignatureVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly isDelegated: boolean; readonly reason: string }
  | { readonly kind: 'no-code'; readonly isDeployable: boolean };

const ERC1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** The whole answer of a contract that accepts. No answer that is longer or not padded with zeros counts. */
const ACCEPTED = padHex('0x1626ba7e', { dir: 'right', size: 32 });
/** The answer to isValidSignature(bytes,bytes) of ERC-1271's drafts. */
const LEGACY = padHex('0x20c13b0b', { dir: 'right', size: 32 });
/**
 * Bound of a check. All nodes use the same, and far less than they allow a call, so that an endless loop ends as out of
 * gas on each of them before any of their timeouts. The dearest common accounts have P-256 keys that are verified in
 * Solidity, for about 330,000 each.
 */
const GAS = 5_000_000n;
/** The code of an account that delegates to a contract and still has its own key (EIP-7702). */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;
/** JSON-RPC code of an execution that reverted: geth and its successors. */
const REVERTED = 3;
/**
 * How nodes say that the execution failed: geth, reth, erigon, nethermind, besu, anvil and the gateway. Nothing here
 * may match the failure of a node, such as "execution aborted (timeout = 5s)".
 */
const EXECUTION_FAILED =
  /\breverted\b|evm error:? \w+$|out ?of ?gas|invalid ?(opcode|jump)|bad ?jump|opcode .* not defined|stack (limit|(over|under)flow)|write protection|return data out of bounds/i;

/**
 * Checks whether an account signed a digest: a key by ECDSA (of an account without code, and first for one that
 * delegates, EIP-7702), else the code of the account by ERC-1271.
 *
 * Nodes may word a refusal differently, so they agree on the verdict and not on its words.
 *
 * @param at the block whose state is asked. Default: the newest one that a quorum of nodes has reached.
 * @throws QuorumError when too few nodes give the same verdict: nothing is known then, and the caller asks again later.
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

/** Asks the code of the account. Returns null when it accepts, else why not. Throws when the node does not answer. */
async function findRefusal(
  client: PublicClient,
  { account, digest, signature }: SignatureClaim,
  blockNumber: bigint,
): Promise<string | null> {
  const data = encodeFunctionData({ abi: ERC1271, args: [digest, signature] });
  const call = { to: account, data, gas: numberToHex(GAS) };
  try {
    // Not by viem's `call`: that follows an OffchainLookup (ERC-3668), so the account could make us fetch any URL.
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
