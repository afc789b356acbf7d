import type { AttestBatch, AttesterSignature } from '@causeway/protocol/attest';
import {
  concatHex,
  encodeAbiParameters,
  hashTypedData,
  keccak256,
  parseSignature,
  recoverAddress,
  signatureToCompactSignature,
  type Address,
  type Hex,
} from 'viem';

/** The attesters' consent to a call, in the form of the contracts. */
export interface Attestation {
  readonly setNumber: bigint;
  /** Unix seconds. */
  readonly validUntil: bigint;
  readonly attesters: readonly Address[];
  readonly signatures: readonly { readonly r: Hex; readonly yParityAndS: Hex }[];
}

/** The contracts ignore the attestation while their threshold is 0. */
export const NO_ATTESTATION: Attestation = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };

interface MintPayment {
  readonly depositNonce: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
}

interface ReleasePayment {
  readonly withdrawNonce: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** The terms of a call that attesters sign. */
export type AttestedTerms =
  | { readonly call: 'MINT_MANY'; readonly payments: readonly MintPayment[] }
  | { readonly call: 'RELEASE_MANY'; readonly payments: readonly ReleasePayment[] }
  | {
      readonly call: 'RELEASE_INTENT';
      readonly intentId: Hex;
      readonly transferId: Hex;
      readonly fee: bigint;
      readonly signature: Hex;
    }
  | {
      readonly call: 'REFUND';
      readonly refundId: Hex;
      readonly wallet: Address;
      readonly token: Address;
      readonly recipient: Address;
      readonly amount: bigint;
    };

/** The attester set of a contract, and the expiry of a consent. */
type Consent = Pick<AttestBatch, 'setNumber' | 'validUntil'>;

interface CalledContract {
  readonly chainId: number;
  readonly address: Address;
}

const END = [
  { name: 'attesterSet', type: 'uint256' },
  { name: 'validUntil', type: 'uint256' },
] as const;
const TYPES = {
  Payments: [{ name: 'payments', type: 'bytes32' }, ...END],
  IntentRelease: [
    { name: 'intentId', type: 'bytes32' },
    { name: 'transferId', type: 'bytes32' },
    { name: 'fee', type: 'uint256' },
    { name: 'signatureHash', type: 'bytes32' },
    ...END,
  ],
  Refund: [
    { name: 'refundId', type: 'bytes32' },
    { name: 'wallet', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint256' },
    ...END,
  ],
} as const;
const MINT_PARAMETERS = [{ type: 'uint256' }, { type: 'address' }, { type: 'address' }, { type: 'uint256' }] as const;
const RELEASE_PARAMETERS = [...MINT_PARAMETERS, { type: 'uint256' }] as const;
/** Half the order of secp256k1: the contracts reject signatures with a higher s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The EIP-712 digest that attesters sign for a call; see `IBridgeBase.Attestation`. Pure. */
export function attestationDigest(
  terms: AttestedTerms,
  { setNumber: attesterSet, validUntil }: Consent,
  { chainId, address: verifyingContract }: CalledContract,
): Hex {
  const signed = { types: TYPES, domain: { name: 'Causeway', version: '1', chainId, verifyingContract } };
  const end = { attesterSet, validUntil };
  switch (terms.call) {
    case 'MINT_MANY':
    case 'RELEASE_MANY':
      return hashTypedData({ ...signed, primaryType: 'Payments', message: { payments: hashPayments(terms), ...end } });
    case 'RELEASE_INTENT': {
      const { intentId, transferId, fee, signature } = terms;
      const message = { intentId, transferId, fee, signatureHash: keccak256(signature), ...end };
      return hashTypedData({ ...signed, primaryType: 'IntentRelease', message });
    }
    case 'REFUND': {
      const { refundId, wallet, token, recipient, amount } = terms;
      const message = { refundId, wallet, token, recipient, amount, ...end };
      return hashTypedData({ ...signed, primaryType: 'Refund', message });
    }
  }
}

/** The contracts hash the payments as ABI-encoded in the call data, word by word. */
function hashPayments(terms: Extract<AttestedTerms, { call: 'MINT_MANY' | 'RELEASE_MANY' }>): Hex {
  const words =
    terms.call === 'MINT_MANY'
      ? terms.payments.map(({ depositNonce, token, recipient, amount }) =>
          encodeAbiParameters(MINT_PARAMETERS, [depositNonce, token, recipient, amount]),
        )
      : terms.payments.map(({ withdrawNonce, token, recipient, amount, fee }) =>
          encodeAbiParameters(RELEASE_PARAMETERS, [withdrawNonce, token, recipient, amount, fee]),
        );
  return keccak256(concatHex(words));
}

/** The attestation of a call, with the signatures in the order of the set, as the contracts require. Pure. */
export function toAttestation(
  { setNumber, validUntil }: Consent,
  attesters: readonly Address[],
  given: readonly AttesterSignature[],
): Attestation {
  const place = ({ attester }: AttesterSignature) => attesters.indexOf(attester);
  const signatures = given
    .toSorted((one, other) => place(one) - place(other))
    .map(({ signature }) => signatureToCompactSignature(parseSignature(signature)));
  return { setNumber, validUntil, attesters, signatures };
}

/** Whether an attester signed a digest, in the only form that the contracts accept. */
export async function isSignedBy(attester: Address, digest: Hex, signature: Hex): Promise<boolean> {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = Number.parseInt(signature.slice(130), 16);
  if (s > HALF_ORDER || (v !== 27 && v !== 28)) return false;
  try {
    return (await recoverAddress({ hash: digest, signature })).toLowerCase() === attester;
  } catch {
    // The signature is not a point of the curve.
    return false;
  }
}
