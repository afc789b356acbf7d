import { concatHex, keccak256, type Address, type Hex } from 'viem';
import { encodeWords, hashStruct, type Domain } from './typed-data.js';

/** A payment of `mintMany`. */
export interface MintPayment {
  readonly depositNonce: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
}

/** A payment of `releaseMany`. `amount` is net of the fee. */
export interface ReleasePayment {
  readonly withdrawNonce: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** The arguments of a bridge contract's call that attesters sign. */
export type AttestedCall =
  | { readonly kind: 'MINT_MANY'; readonly payments: readonly MintPayment[] }
  | { readonly kind: 'RELEASE_MANY'; readonly payments: readonly ReleasePayment[] }
  | {
      readonly kind: 'RELEASE_INTENT';
      readonly intentId: Hex;
      /** The id that a refund of the intent's transfer would have. */
      readonly transferId: Hex;
      readonly fee: bigint;
      readonly signature: Hex;
    }
  | {
      readonly kind: 'REFUND';
      readonly refundId: Hex;
      readonly wallet: Address;
      readonly token: Address;
      readonly recipient: Address;
      readonly amount: bigint;
    };

/** The attester set and the expiry of a consent. */
export interface Consent {
  readonly setNumber: bigint;
  /** Unix seconds; the contracts accept at most 10 minutes ahead. */
  readonly validUntil: bigint;
}

const END = 'uint256 attesterSet,uint256 validUntil)';
const PAYMENTS_TYPE = `Payments(bytes32 payments,${END}`;
const INTENT_RELEASE_TYPE = `IntentRelease(bytes32 intentId,bytes32 transferId,uint256 fee,bytes32 signatureHash,${END}`;
const REFUND_TYPE = `Refund(bytes32 refundId,address wallet,address token,address recipient,uint256 amount,${END}`;

/**
 * The EIP-712 digest that attesters sign, as the contract computes it. Pure.
 *
 * @param domain chain and address of the called contract.
 * @example
 * ```ts
 * const call = { kind: 'MINT_MANY', payments } as const;
 * attestationDigest(call, { setNumber: 1n, validUntil }, { chainId: 327, contract: bridgeMint });
 * ```
 */
export function attestationDigest(call: AttestedCall, { setNumber, validUntil }: Consent, domain: Domain): Hex {
  const end = [
    ['uint256', setNumber],
    ['uint256', validUntil],
  ] as const;
  switch (call.kind) {
    case 'MINT_MANY':
      return hashStruct(domain, PAYMENTS_TYPE, [['bytes32', hashPayments(call.payments.map(encodeMint))], ...end]);
    case 'RELEASE_MANY':
      return hashStruct(domain, PAYMENTS_TYPE, [['bytes32', hashPayments(call.payments.map(encodeRelease))], ...end]);
    case 'RELEASE_INTENT': {
      const { intentId, transferId, fee, signature } = call;
      const terms = [
        ['bytes32', intentId],
        ['bytes32', transferId],
        ['uint256', fee],
        ['bytes32', keccak256(signature)],
      ] as const;
      return hashStruct(domain, INTENT_RELEASE_TYPE, [...terms, ...end]);
    }
    case 'REFUND': {
      const { refundId, wallet, token, recipient, amount } = call;
      const terms = [
        ['bytes32', refundId],
        ['address', wallet],
        ['address', token],
        ['address', recipient],
        ['uint256', amount],
      ] as const;
      return hashStruct(domain, REFUND_TYPE, [...terms, ...end]);
    }
  }
}

/** The contracts hash the payments as ABI-encoded in the call data, word by word. */
function hashPayments(payments: readonly Hex[]): Hex {
  return keccak256(payments.length === 0 ? '0x' : concatHex(payments));
}

function encodeMint({ depositNonce, token, recipient, amount }: MintPayment): Hex {
  return encodeWords([
    ['uint256', depositNonce],
    ['address', token],
    ['address', recipient],
    ['uint256', amount],
  ]);
}

function encodeRelease({ withdrawNonce, token, recipient, amount, fee }: ReleasePayment): Hex {
  return encodeWords([
    ['uint256', withdrawNonce],
    ['address', token],
    ['address', recipient],
    ['uint256', amount],
    ['uint256', fee],
  ]);
}
