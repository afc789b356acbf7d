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
 * Stores which transaction a client proposes as the origin of an intent. The endpoint is public, so a proposal alone
 * moves no money. The relayer binds the transfer when the chain proves it; until its block is final, a proposal may
 * give it to an equal intent of the same sender.
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
    if (intent === null || operation === null)
      throw new BridgeError('INTENT_NOT_FOUND', 'No intent with this intentId');
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
    // It is final, has failed or has expired since it was read. All of that stays, so the second answer is the last.
    return this.bind(body);
  }

  /**
   * Refuses a transaction that is visible and does not pay the intent. One that is not visible yet is accepted.
   *
   * @returns its nonce, where the node says it.
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

  /** Refuses an intent whose wallet was replaced, unless a transfer that was read before may pay it. */
  private async assertWalletInUse({ relayerWallet }: IntentRecord): Promise<void> {
    const values = await this.parameters.read().catch(() => null);
    const { unpayableReason } = payableWallet(values, relayerWallet ?? this.configuration.addressBook.relayer);
    if (unpayableReason !== 'WALLET_REPLACED') return;
    const message =
      'The relayer wallet of this intent was replaced; sign a new one. A transfer to the former one is refunded';
    throw new BridgeError('INTENT_EXPIRED', message);
  }

  /** Whether the transaction that the client named was replaced (speed-up) by the one that paid: the same nonce. */
  private async isReplacedBy(intent: IntentRecord, named: Hex, bound: Hex): Promise<boolean> {
    if (intent.proposedOriginTxHash !== named || intent.proposedOriginNonce === null) return false;
    const { nonce } = await this.origins.read(bound);
    return nonce === intent.proposedOriginNonce;
  }
}

/** Refuses an intent that no transfer can pay any more. */
function assertOpen({ status, origin }: Operation, { expiresAt }: IntentRecord): void {
  if (status === 'EXPIRED' || (origin === null && expiresAt.getTime() <= Date.now()))
    throw new BridgeError('INTENT_EXPIRED', 'The window of this intent has passed; sign a new one');
  if (status === 'FAILED')
    throw new BridgeError(
      'INTENT_NOT_PENDING',
      'This intent has failed; see failureMessage and refundId of its status',
    );
}

/** Refuses a transaction that is mined and does not pay the intent. */
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
    throw new BridgeError('VALIDATION_ERROR', 'originTxHash is of a transaction outside the window of this intent', {
      field: 'originTxHash',
    });
  }
  if (inTime.some(({ pays }) => pays?.kind !== 'TRANSFER')) return;
  throw new BridgeError('VALIDATION_ERROR', 'originTxHash is of a transfer that is refunded: see its status', {
    field: 'originTxHash',
  });
}

/** Whether a transfer fits this intent, and pays an equal one of the same sender that is not final. */
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
