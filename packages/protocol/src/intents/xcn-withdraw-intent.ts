import { hashTypedData, type Address, type Hex } from 'viem';

/** An order to withdraw native XCN, as its sender signs it. */
export interface XcnWithdrawIntent {
  readonly sender: Address;
  /** Receives XCN as an ERC-20 on Ethereum. */
  readonly recipient: Address;
  /** In 18-decimal units, a multiple of 10^10. */
  readonly amount: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** Any string the sender has not used before. */
  readonly nonce: string;
}

/** The EIP-712 type of the message. */
export const xcnWithdrawIntentTypes = {
  XcnWithdrawIntent: [
    { name: 'sender', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'nonce', type: 'string' },
  ],
} as const;

/** The EIP-712 domain an intent is signed under. */
export interface IntentDomain {
  readonly name: 'Causeway';
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** The domain of a deployment: the partner chain's id and its BridgeMint. */
export function intentDomain(deployment: { chainId: number; bridgeMint: Address }): IntentDomain {
  return { name: 'Causeway', version: '1', chainId: deployment.chainId, verifyingContract: deployment.bridgeMint };
}

/** The EIP-712 digest of an intent. It is the intentId, and the withdrawId of its Release. */
export function intentDigest(domain: IntentDomain, intent: XcnWithdrawIntent): Hex {
  return hashTypedData({
    domain,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: { ...intent },
  });
}
