import { BridgeError, formatAmount, type BindOriginBody, type BindOriginResponse } from '@causeway/protocol';
import { isInWindow, type IntentRecord, type KnownTransfer, type Operation, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, STORE } from '../infrastructure.js';
import { OnChainParameters } from '../on-chain-parameters.js';
import { payableWallet } from '../payable-wallets.js';
import { OriginPaymentsReader } from './origin-payments.js';

/**
 * Stores the transaction that a client proposes as the origin of an intent. The endpoint is public, so a proposal alone
 * moves no money. The relayer binds the transfer once the chain proves it. Until the transfer's block is final, a
 * proposal can give it to an equal intent of the same sender.
 */
@Injectable()
export class BindOriginService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly parameters: OnChainParameters,
    private readonly origins: OriginPaymentsReader,
  ) {}

  /** @throws BridgeError with the codes that the specification lists for this endpoint. */
  async bind(body: BindOriginBody): Promise<BindOriginResponse> {
    const { intentId, senderAddress } = body;
    const [intent, operation] = await Promise.all([
      this.store.intents.find(intentId),
      this.store.operations.findById(intentId),
    ]);
    if (intent === null || operation === null) throw new BridgeError('INTENT_NOT_FOUND', 'No intent has this intentId');
    if (intent.sender !== senderAddress) {
      throw new BridgeError('SENDER_MISMATCH', 'senderAddress is not the signer of this intent', {
        field: 'senderAddress',
      });
    }
    const originTxHash = await this.origins.resolve(body.originTxHash);
    const answer = { intentId, originTxHash, status: operation.status };
    if (operation.origin?.txHash === originTxHash) return answer;
    assertOpen(operation, intent);
    const known = await this.store.intents.findTransfers(operation.originChainId, originTxHash);
    if (operation.origin !== null) {
      const { txHash } = operation.origin;
      if (await this.isReplacedBy(intent, originTxHash, txHash)) return { ...answer, originTxHash: txHash };
      const mayExchange =
        operation.status === 'CONFIRMING' && known.some((each) => isForAnEqual(each, operation, intent));
      if (!mayExchange) throw new BridgeError('INTENT_ALREADY_BOUND', `This intent is paid by ${txHash}`);
    }
    if (operation.origin === null && known.length === 0) await this.assertWalletInUse(intent);
    const nonce = await this.assertMayPay(operation, intent, originTxHash, known);
    if (await this.store.intents.proposeOrigin(intentId, originTxHash, nonce)) return answer;
    // The intent has become final, failed or expired since it was read. These states are permanent, so this recurses
    // only once.
    return this.bind(body);
  }

  /**
   * Refuses a visible transaction that does not pay the intent. A transaction that is not visible yet is accepted.
   *
   * @returns the transaction's nonce, if the nodes know it.
   */
  private async assertMayPay(
    operation: Operation,
    intent: IntentRecord,
    txHash: Hex,
    known: readonly KnownTransfer[],
  ): Promise<bigint | null> {
    if (known.length > 0) {
      assertOneMayPay(operation, intent, known);
      return null;
    }
    const origin = await this.origins.read(txHash);
    if (origin.kind !== 'mined') return origin.nonce;
    const payments = origin.payments.map((payment) => ({ ...payment, pays: null }));
    assertOneMayPay(operation, intent, payments);
    return origin.nonce;
  }

  /** Refuses an intent whose relayer wallet was replaced. */
  private async assertWalletInUse({ relayerWallet }: IntentRecord): Promise<void> {
    const values = await this.parameters.read().catch(() => null);
    const { unpayableReason } = payableWallet(values, relayerWallet ?? this.configuration.addressBook.relayer);
    if (unpayableReason !== 'WALLET_REPLACED') return;
    const message =
      'The relayer wallet of this intent was replaced; sign a new intent. A transfer to the former wallet is refunded';
    throw new BridgeError('INTENT_EXPIRED', message);
  }

  /** Whether the paying transaction replaced the one that the client named (speed-up): both have the same nonce. */
  private async isReplacedBy(intent: IntentRecord, named: Hex, bound: Hex): Promise<boolean> {
    if (intent.proposedOriginTxHash !== named || intent.proposedOriginNonce === null) return false;
    const { nonce } = await this.origins.read(bound);
    return nonce === intent.proposedOriginNonce;
  }
}

/** Refuses an intent that can no longer be paid. */
function assertOpen({ status, origin }: Operation, { expiresAt }: IntentRecord): void {
  if (status === 'EXPIRED' || (origin === null && expiresAt.getTime() <= Date.now()))
    throw new BridgeError('INTENT_EXPIRED', 'The window of this intent has passed; sign a new one');
  if (status === 'FAILED')
    throw new BridgeError(
      'INTENT_NOT_PENDING',
      'This intent has failed; see failureMessage and refundId in its status',
    );
}

/** Refuses a mined transaction that does not pay the intent. */
function assertOneMayPay(operation: Operation, intent: IntentRecord, known: readonly KnownTransfer[]): void {
  const isTaken = (each: KnownTransfer) =>
    each.pays?.kind === 'INTENT' && each.pays.id !== operation.id && !isForAnEqual(each, operation, intent);
  const fitting = known.filter(({ payer, amount }) => payer === operation.sender && amount === operation.amount);
  const candidates = fitting.length > 0 ? fitting : known;
  if (candidates.length > 0 && candidates.every(isTaken))
    throw new BridgeError('DUPLICATE_ORIGIN_TX', 'This transaction pays another intent');
  if (fitting.length === 0) throw wrongPayment(operation);
  const inTime = fitting.filter((each) => !isTaken(each) && isInWindow(each, intent));
  if (inTime.length === 0) {
    throw new BridgeError(
      'VALIDATION_ERROR',
      'originTxHash names a transaction outside the payment window of this intent',
      {
        field: 'originTxHash',
      },
    );
  }
  if (inTime.some(({ pays }) => pays?.kind !== 'TRANSFER')) return;
  throw new BridgeError('VALIDATION_ERROR', 'originTxHash names a transfer that is being refunded; see its status', {
    field: 'originTxHash',
  });
}

/** Whether a transfer fits this intent, and currently pays an equal, not yet final intent of the same sender. */
function isForAnEqual(transfer: KnownTransfer, operation: Operation, intent: IntentRecord): boolean {
  const { payer, amount, pays } = transfer;
  return (
    payer === operation.sender &&
    amount === operation.amount &&
    isInWindow(transfer, intent) &&
    pays?.kind === 'INTENT' &&
    pays.status === 'CONFIRMING' &&
    pays.recipient === operation.recipient &&
    pays.outputAmount === operation.outputAmount
  );
}

function wrongPayment({ amount, sender }: Operation): BridgeError {
  return new BridgeError(
    'VALIDATION_ERROR',
    `originTxHash must pay exactly ${formatAmount('XCN', amount)} XCN from ${sender} to the relayer wallet, in a plain transfer or one call`,
    { field: 'originTxHash' },
  );
}
