import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { computeIntentId, computeOperationId, type AttestedCall, type Side } from '@causeway/verifier';
import { decodeFunctionData, zeroAddress, type Address, type Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import type { Transaction } from '../chain/transactions.ts';

/** A payment in a call of the relayer, with its terms in one line. */
export interface CalledPayment {
  readonly kind: 'DELIVERY' | 'REFUND';
  /** The id of the operation or refund. */
  readonly id: Hex;
  readonly terms: string;
}

type Called = Pick<Transaction, 'to' | 'input' | 'value'>;

/** The payments of a call to a bridge contract. */
export function readPayments(transaction: Called): CalledPayment[] {
  if (transaction.to === BOOK.partner.bridgeMint) return readMints(transaction);
  return transaction.to === BOOK.ethereum.bridgeLock ? readReleases(transaction) : [];
}

function readMints({ input, value }: Called): CalledPayment[] {
  const { functionName, args } = decodeFunctionData({ abi: bridgeMintAbi, data: input });
  switch (functionName) {
    case 'mint':
      return [toDelivery('ethereum', args[0], formatPayment(args[0], args[1], args[2], args[3], 0n))];
    case 'mintMany':
      return args[0].map(({ depositNonce, token, recipient, amount }) =>
        toDelivery('ethereum', depositNonce, formatPayment(depositNonce, token, recipient, amount, 0n)),
      );
    case 'refund':
      return [toRefund(args[0], formatRefund(args[0], BOOK.relayer, args[1], args[2], args[3]))];
    case 'refundOf':
      return [toRefund(args[0], formatRefund(args[0], args[1], args[2], args[3], args[4]))];
    case 'refundNative':
      return [toRefund(args[0], formatRefund(args[0], BOOK.relayer, zeroAddress, args[1], value))];
    default:
      return [];
  }
}

function readReleases({ input }: Called): CalledPayment[] {
  const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data: input });
  switch (functionName) {
    case 'release':
      return [toDelivery('partner', args[0], formatPayment(...args))];
    case 'releaseNative':
      return [toDelivery('partner', args[0], formatPayment(args[0], zeroAddress, args[1], args[2], args[3]))];
    case 'releaseMany':
      return args[0].map(({ withdrawNonce, token, recipient, amount, fee }) =>
        toDelivery('partner', withdrawNonce, formatPayment(withdrawNonce, token, recipient, amount, fee)),
      );
    case 'releaseIntent': {
      const id = computeIntentId(getDomain('partner'), args[0]);
      return [{ kind: 'DELIVERY', id, terms: `${id} ${args[1]} ${args[2]} ${args[0].signature}` }];
    }
    default:
      return [];
  }
}

/** The payments of a call that the verifier agrees to, in the same form. */
export function formatCall(call: AttestedCall): string[] {
  switch (call.kind) {
    case 'MINT_MANY':
      return call.payments.map(({ depositNonce, token, recipient, amount }) =>
        formatPayment(depositNonce, token, recipient, amount, 0n),
      );
    case 'RELEASE_MANY':
      return call.payments.map(({ withdrawNonce, token, recipient, amount, fee }) =>
        formatPayment(withdrawNonce, token, recipient, amount, fee),
      );
    case 'RELEASE_INTENT':
      return [`${call.intentId} ${call.transferId} ${call.fee} ${call.signature}`];
    case 'REFUND':
      return [formatRefund(call.refundId, call.wallet, call.token, call.recipient, call.amount)];
  }
}

function formatPayment(number: bigint, token: Address, recipient: Address, amount: bigint, fee: bigint): string {
  return `${number} ${token.toLowerCase()} ${recipient.toLowerCase()} ${amount} ${fee}`;
}

function formatRefund(id: Hex, wallet: Address, token: Address, recipient: Address, amount: bigint): string {
  return `${id} of ${wallet.toLowerCase()} ${token.toLowerCase()} ${recipient.toLowerCase()} ${amount}`;
}

function toDelivery(side: Side, number: bigint, terms: string): CalledPayment {
  return { kind: 'DELIVERY', id: computeOperationId(getDomain(side), number), terms };
}

function toRefund(id: Hex, terms: string): CalledPayment {
  return { kind: 'REFUND', id, terms };
}

function getDomain(side: Side) {
  return side === 'ethereum'
    ? { chainId: BOOK.ethereum.chainId, contract: BOOK.ethereum.bridgeLock }
    : { chainId: BOOK.partner.chainId, contract: BOOK.partner.bridgeMint };
}
