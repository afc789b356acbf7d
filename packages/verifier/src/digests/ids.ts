import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';
import { encodeWords, hashStruct, type Domain } from './typed-data.js';

/** The signed terms of a withdrawal of native XCN, as in its release. */
export interface Intent {
  readonly sender: Address;
  readonly recipient: Address;
  /** 18-decimal units, before the fee. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** keccak256 of the text `nonce`. */
  readonly nonceHash: Hex;
  /** At most 1,024 bytes. */
  readonly signature: Hex;
}

const INTENT_TYPE = 'XcnWithdrawIntent(address sender,address recipient,uint256 amount,uint256 deadline,string nonce)';

/** The id of a numbered operation: keccak256(abi.encode(chain id, contract, number)) of its origin. */
export function computeOperationId({ chainId, contract }: Domain, number: bigint): Hex {
  return keccak256(
    encodeWords([
      ['uint256', BigInt(chainId)],
      ['address', contract],
      ['uint256', number],
    ]),
  );
}

/** The id of an intent: its EIP-712 digest in the domain of BridgeMint. It is what the sender signs. */
export function computeIntentId(domain: Domain, intent: Omit<Intent, 'signature'>): Hex {
  return hashStruct(domain, INTENT_TYPE, [
    ['address', intent.sender],
    ['address', intent.recipient],
    ['uint256', intent.amount],
    ['uint256', intent.deadline],
    ['bytes32', intent.nonceHash],
  ]);
}

/**
 * A transfer to a relayer wallet. `callIndex`: 0 for a plain transfer; for a token, its log's position in the block.
 */
export interface ArrivalPlace {
  readonly chainId: number;
  readonly transactionHash: Hex;
  readonly asset: string;
  readonly callIndex: number;
}

/** The refund id of such a transfer: keccak256(abi.encode(chain id, transaction hash, asset, call index)). */
export function computeRefundId({ chainId, transactionHash, asset, callIndex }: ArrivalPlace): Hex {
  const types = ['uint256', 'bytes32', 'string', 'uint256'].map((type) => ({ type }));
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), transactionHash, asset, BigInt(callIndex)]));
}
