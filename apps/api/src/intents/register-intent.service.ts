import {
  BridgeError,
  formatAmount,
  intentDigest,
  intentDomain,
  quoteFee,
  verifyIntentSignature,
  type IntentBody,
  type IntentResponse,
  type XcnWithdrawIntent,
} from '@causeway/protocol';
import type { Operation, OperationTerms, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { zeroAddress, type Hex } from 'viem';
import type { Configuration } from '../config/configuration.js';
import { OnChainParameters } from '../infra/on-chain-parameters.js';
import { CHAINS, CONFIGURATION, STORE } from '../infra/injection-tokens.js';
import type { Chains } from '../infra/infrastructure.module.js';

/** An intent waits this long for its transfer (specification, Limits). */
const WINDOW_MS = 30 * 60_000;
/** Code of an account that delegates to a contract but still signs with its own key (EIP-7702). */
const DELEGATION_PREFIX = '0xef0100';

/** Accepts signed orders to withdraw native XCN. */
@Injectable()
export class RegisterIntentService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly terms: OnChainParameters,
  ) {}

  /**
   * The checks in their order: replay, deadline, recipient, minimum, pause, and the signature last, since it may ask a
   * node. Nothing is stored, and no wallet to pay to is named, before all have passed.
   *
   * @throws BridgeError as the specification lists them for this endpoint.
   */
  async register(body: IntentBody): Promise<IntentResponse> {
    const { senderAddress: sender, idempotencyKey } = body;
    const intent: XcnWithdrawIntent = {
      sender,
      recipient: body.recipientAddress,
      amount: body.amountAtomic,
      deadline: BigInt(body.deadline),
      nonce: body.nonce,
    };
    const { partner } = this.configuration.addressBook;
    const domain = intentDomain(partner);
    const id = intentDigest(domain, intent);
    const earlier = await this.store.intents.findByKey(sender, idempotencyKey);
    if (earlier?.id === id) return this.answer(id);
    if (earlier !== null) {
      throw new BridgeError(
        'VALIDATION_ERROR',
        'idempotencyKey was used for another intent of this sender; use a new key',
        {
          field: 'idempotencyKey',
        },
      );
    }
    const nowMs = Date.now();
    if (body.deadline * 1000 <= nowMs) {
      throw new BridgeError('DEADLINE_EXPIRED', 'deadline has passed; sign again with one in the future', {
        field: 'deadline',
      });
    }
    this.assertRecipientKeepsFunds(intent);
    const { policies, releasesPaused, isCurrentRelayer } = await this.terms.read();
    const quote = quoteFee(policies.XCN, intent.amount, 'PARTNER_TO_ETHEREUM');
    if (releasesPaused || !isCurrentRelayer) throw paused();
    await this.assertPlainAccount(intent);
    await verifyIntentSignature({
      intent,
      signature: body.signature,
      domain,
      otherContracts: [this.configuration.addressBook.ethereum.bridgeLock],
    });
    const terms: OperationTerms = {
      id,
      kind: 'INTENT',
      direction: 'PARTNER_TO_ETHEREUM',
      asset: 'XCN',
      amount: intent.amount,
      fee: quote.fee,
      feeBps: quote.bps,
      outputAmount: quote.outputAmount,
      sender,
      recipient: intent.recipient,
      originChainId: partner.chainId,
      destinationChainId: this.configuration.addressBook.ethereum.chainId,
      originNonce: null,
      requiredConfirmations: this.configuration.timing.partnerConfirmations,
    };
    await this.store.intents.register(terms, {
      id,
      sender,
      nonce: intent.nonce,
      idempotencyKey,
      deadlineSeconds: intent.deadline,
      signature: body.signature,
      expiresAt: new Date(Math.min(nowMs + WINDOW_MS, body.deadline * 1000)),
    });
    return this.answer(id);
  }

  private assertRecipientKeepsFunds({ recipient }: XcnWithdrawIntent): void {
    const { ethereum, relayer } = this.configuration.addressBook;
    const lossy: string[] = [zeroAddress, ethereum.bridgeLock, ethereum.tokens.XCN, relayer];
    if (lossy.includes(recipient)) {
      throw new BridgeError(
        'VALIDATION_ERROR',
        'recipientAddress is a contract of the bridge; the funds would be lost there',
        {
          field: 'recipientAddress',
        },
      );
    }
  }

  /** Smart accounts cannot be served without call trees, so they must not be told to pay. */
  private async assertPlainAccount({ sender }: XcnWithdrawIntent): Promise<void> {
    const code = await this.chains.partner.client.getCode({ address: sender }).catch((cause: unknown) => {
      throw new BridgeError('SERVICE_UNAVAILABLE', 'The chain cannot be read at this moment; try again shortly', {
        cause,
      });
    });
    if (code !== undefined && code !== '0x' && !code.startsWith(DELEGATION_PREFIX)) {
      throw new BridgeError(
        'SIGNATURE_VERIFICATION_UNAVAILABLE',
        'senderAddress is a contract; this deployment serves externally owned accounts only',
        { field: 'senderAddress' },
      );
    }
  }

  /** Names the wallet to pay to, and only while it is the contracts' too: one that was replaced may be a thief's. */
  private async answer(id: Hex): Promise<IntentResponse> {
    const { isCurrentRelayer } = await this.terms.read();
    if (!isCurrentRelayer) throw paused();
    const operation = await this.store.operations.findById(id);
    const intent = await this.store.intents.find(id);
    if (operation === null || intent === null) throw new Error(`Intent ${id} was stored but is not there`);
    return toIntentResponse(operation, intent.expiresAt, this.configuration.addressBook.relayer);
  }
}

function paused(): BridgeError {
  return new BridgeError('SERVICE_PAUSED', 'XCN withdrawals are paused; try again later');
}

function toIntentResponse(operation: Operation, expiresAt: Date, relayer: Hex): IntentResponse {
  const { id, status, amount, fee, outputAmount, feeBps } = operation;
  return {
    intentId: id,
    relayerWalletAddress: relayer,
    status,
    amountAtomic: amount.toString(),
    amountFormatted: formatAmount('XCN', amount),
    fee: { amount: fee.toString(), formatted: formatAmount('XCN', fee), bps: feeBps },
    outputAmount: outputAmount.toString(),
    outputAmountFormatted: formatAmount('XCN', outputAmount),
    expiresAt: expiresAt.toISOString(),
  };
}
