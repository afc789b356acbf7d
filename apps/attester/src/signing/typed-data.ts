import { attestationDigest, type AttestedCall, type Consent, type Domain } from '@causeway/verifier';
import { concatHex, encodeAbiParameters, hashTypedData, keccak256, type Hex, type TypedDataDefinition } from 'viem';

const END = [
  { name: 'attesterSet', type: 'uint256' },
  { name: 'validUntil', type: 'uint256' },
] as const;
const WORD = { type: 'uint256' } as const;
const ADDRESS = { type: 'address' } as const;

/**
 * The typed data of a call, for signers. Checks that its hash equals the verifier's digest.
 *
 * @throws Error when they differ.
 */
export function makeTypedData(call: AttestedCall, consent: Consent, domain: Domain): TypedDataDefinition {
  const { chainId, contract } = domain;
  const data = {
    ...describe(call, { attesterSet: consent.setNumber, validUntil: consent.validUntil }),
    domain: { name: 'Causeway', version: '1', chainId, verifyingContract: contract },
  } as TypedDataDefinition;
  if (hashTypedData(data) !== attestationDigest(call, consent, domain))
    throw new Error(`The typed data of ${call.kind} differ from the verifier's digest`);
  return data;
}

function describe(call: AttestedCall, end: { readonly attesterSet: bigint; readonly validUntil: bigint }) {
  switch (call.kind) {
    case 'MINT_MANY':
      return describePayments(
        call.payments.map(({ depositNonce, token, recipient, amount }) =>
          encodeAbiParameters([WORD, ADDRESS, ADDRESS, WORD], [depositNonce, token, recipient, amount]),
        ),
        end,
      );
    case 'RELEASE_MANY':
      return describePayments(
        call.payments.map(({ withdrawNonce, token, recipient, amount, fee }) =>
          encodeAbiParameters([WORD, ADDRESS, ADDRESS, WORD, WORD], [withdrawNonce, token, recipient, amount, fee]),
        ),
        end,
      );
    case 'RELEASE_INTENT': {
      const { intentId, transferId, fee, signature } = call;
      const fields = [
        { name: 'intentId', type: 'bytes32' },
        { name: 'transferId', type: 'bytes32' },
        { name: 'fee', type: 'uint256' },
        { name: 'signatureHash', type: 'bytes32' },
      ];
      const message = { intentId, transferId, fee, signatureHash: keccak256(signature), ...end };
      return { primaryType: 'IntentRelease', types: { IntentRelease: [...fields, ...END] }, message };
    }
    case 'REFUND': {
      const { refundId, wallet, token, recipient, amount } = call;
      const fields = [
        { name: 'refundId', type: 'bytes32' },
        { name: 'wallet', type: 'address' },
        { name: 'token', type: 'address' },
        { name: 'recipient', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ];
      const message = { refundId, wallet, token, recipient, amount, ...end };
      return { primaryType: 'Refund', types: { Refund: [...fields, ...END] }, message };
    }
  }
}

function describePayments(payments: readonly Hex[], end: object) {
  const fields = [{ name: 'payments', type: 'bytes32' }, ...END];
  return {
    primaryType: 'Payments',
    types: { Payments: fields },
    message: { payments: keccak256(concatHex(payments)), ...end },
  };
}
