import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { AddressBook } from '@causeway/protocol';
import type { AttestBatch, AttestItem } from '@causeway/protocol/attest';
import { attestationDigest, computeRefundId, type AttestedCall } from '@causeway/verifier';
import type { Consent, Domain, TransferOrigin } from '@causeway/verifier';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import type { Call, Side } from './transactions.js';

/** The zero address: native coin. */
export const COIN: Address = '0x0000000000000000000000000000000000000000';
/** The partner chain of a local environment. */
const PARTNER_CHAIN_ID = 8901;
/** More gas than any of these calls needs without payments, and more than a mint for a new account. */
const [GAS, PAYMENT_GAS] = [1_500_000n, 800_000n];

/** An attestation in the contracts' form. */
export interface Attestation extends Consent {
  readonly attesters: readonly Address[];
  readonly signatures: readonly { readonly r: Hex; readonly yParityAndS: Hex }[];
}

/** The call that pays items, all of the kind of the first one. */
export function toCall(items: readonly AttestItem[]): AttestedCall {
  const [first] = items;
  if (first === undefined) throw new Error('The list of items is empty');
  switch (first.kind) {
    case 'MINT':
      return {
        kind: 'MINT_MANY',
        payments: items.flatMap((item) => (item.kind === 'MINT' ? [item.payment] : [])),
      };
    case 'RELEASE':
      return {
        kind: 'RELEASE_MANY',
        payments: items.flatMap((item) => (item.kind === 'RELEASE' ? [item.payment] : [])),
      };
    case 'INTENT':
      return toIntentCall(first);
    case 'REFUND': {
      const { id: refundId, wallet, token, recipient, amount } = first;
      return { kind: 'REFUND', refundId, wallet, token, recipient, amount };
    }
  }
}

function toIntentCall({ id: intentId, origin, fee, intent }: Extract<AttestItem, { kind: 'INTENT' }>) {
  if (origin === null) throw new Error('The intent has no transfer');
  const transferId = computeTransferId(origin);
  return { kind: 'RELEASE_INTENT', intentId, transferId, fee, signature: intent.signature } as const;
}

/** The id of a refund of a native XCN transfer. */
export function computeTransferId({ transactionHash, callIndex }: TransferOrigin): Hex {
  return computeRefundId({ chainId: PARTNER_CHAIN_ID, transactionHash, asset: 'XCN', callIndex });
}

export function getSide(kind: AttestBatch['call']): Side {
  return kind === 'MINT_MANY' || kind === 'REFUND' ? 'partner' : 'ethereum';
}

export function getDomain({ ethereum, partner }: AddressBook, side: Side): Domain {
  return side === 'ethereum'
    ? { chainId: ethereum.chainId, contract: ethereum.bridgeLock }
    : { chainId: partner.chainId, contract: partner.bridgeMint };
}

/** The batch that requests signatures for items. */
export function makeBatch(
  items: readonly AttestItem[],
  consent: Consent,
  domain: Domain,
  over: Partial<AttestBatch> = {},
): AttestBatch {
  const call = toCall(items);
  const digest = attestationDigest(call, consent, domain);
  return { digest, call: call.kind, ids: items.map(({ id }) => id), ...toNumbers(consent), ...over };
}

function toNumbers({ setNumber, validUntil }: Consent): Pick<AttestBatch, 'setNumber' | 'validUntil'> {
  return { setNumber, validUntil };
}

/** The compact form of a signature (ERC-2098). */
export function toCompact(signature: Hex): Attestation['signatures'][number] {
  const s = BigInt(`0x${signature.slice(66, 130)}`) | (signature.endsWith('1c') ? 1n << 255n : 0n);
  return { r: `0x${signature.slice(2, 66)}`, yParityAndS: `0x${s.toString(16).padStart(64, '0')}` };
}

/** The transaction with which the relayer key pays items. */
export function encodePayment(items: readonly AttestItem[], attestation: Attestation, book: AddressBook): Call {
  const [first] = items;
  const call = toCall(items);
  const [lock, mint] = [book.ethereum.bridgeLock, book.partner.bridgeMint];
  const gas = GAS + PAYMENT_GAS * BigInt(items.length);
  switch (call.kind) {
    case 'MINT_MANY': {
      const args = [call.payments, attestation] as const;
      return { to: mint, gas, data: encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args }) };
    }
    case 'RELEASE_MANY': {
      const args = [call.payments, attestation] as const;
      const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args });
      return { to: lock, gas, data };
    }
    case 'RELEASE_INTENT': {
      if (first?.kind !== 'INTENT') throw new Error('The item is not an intent');
      const args = [first.intent, call.transferId, first.fee, attestation] as const;
      const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseIntent', args });
      return { to: lock, gas, data };
    }
    case 'REFUND': {
      const { refundId, wallet, token, recipient, amount } = call;
      const abi = bridgeMintAbi;
      if (token === COIN) {
        const args = [refundId, recipient, attestation] as const;
        const data = encodeFunctionData({ abi, functionName: 'refundNative', args });
        return { to: mint, gas, value: amount, data };
      }
      const args = [refundId, wallet, token, recipient, amount, attestation] as const;
      return { to: mint, gas, data: encodeFunctionData({ abi, functionName: 'refundOf', args }) };
    }
  }
}
