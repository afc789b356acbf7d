import { BridgeError, type BindOriginBody, type BindOriginResponse } from '@causeway/protocol';
import { isInWindow, type IntentRecord, type Operation, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { STORE } from '../infrastructure.js';
import { OriginPaymentsReader } from './origin-payments.js';

/**
 * Stores which transaction a client proposes as the origin of an intent. The endpoint is public, so a proposal alone
 * moves no money. The relayer binds the transfer when the chain proves it; until then a later proposal replaces this
 * one.
 */
@Injectable()
export class BindOriginService {
  constructor(
    @Inject(STORE) private readonly store: Store,
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
    if (operation.status === 'EXPIRED' || (operation.origin === null && intent.expiresAt.getTime() < Date.now())) {
      throw new BridgeError('INTENT_EXPIRED', 'The window of this intent has passed; sign a new one');
    }
    if (operation.origin !== null) {
      throw new BridgeError('INTENT_ALREADY_BOUND', `This intent is paid by ${operation.origin.txHash}`);
    }
    await this.assertMayPay(operation, intent, originTxHash);
    if (operation.status !== 'PENDING_ORIGIN_TX') {
      throw new BridgeError('INTENT_NOT_PENDING', `This intent is ${operation.status} already`);
    }
    if (await this.store.intents.proposeOrigin(intentId, originTxHash)) return answer;
    // It was bound or has expired since it was read. Both are final, so the second answer is the last one.
    return this.bind(body);
  }

  /** Refuses a transaction that is visible and does not pay the intent. One that is not visible yet is accepted. */
  private async assertMayPay(operation: Operation, intent: IntentRecord, txHash: Hex): Promise<void> {
    const scanned = await this.store.intents.findTransfer(txHash);
    if (scanned !== null) {
      if (scanned.operationId !== null)
        throw new BridgeError('DUPLICATE_ORIGIN_TX', 'This transaction pays another intent');
      if (scanned.payer !== operation.sender || scanned.amount !== operation.amount) throw wrongPayment(operation);
      if (!isInWindow(scanned.minedAt, intent)) {
        throw new BridgeError(
          'VALIDATION_ERROR',
          'originTxHash is of a transaction outside the window of this intent',
          { field: 'originTxHash' },
        );
      }
      return;
    }
    const origin = await this.origins.read(txHash);
    if (origin.kind !== 'mined') return;
    const { sender, amount } = operation;
    if (!origin.payments.some((payment) => payment.payer === sender && payment.amount === amount))
      throw wrongPayment(operation);
  }
}

function wrongPayment({ amount, sender }: Operation): BridgeError {
  return new BridgeError(
    'VALIDATION_ERROR',
    `originTxHash must pay exactly ${amount} units from ${sender} to the relayer wallet, in a plain transfer or one call`,
    { field: 'originTxHash' },
  );
}
