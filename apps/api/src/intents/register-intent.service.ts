import { readFeePolicies } from '@causeway/chain';
import {
  BridgeError,
  estimateSeconds,
  formatAmount,
  INTENT_WINDOW_SECONDS,
  intentDigest,
  intentDomain,
  quoteFee,
  type FeePolicy,
  type IntentResponse,
} from '@causeway/protocol';
import { toSignedIntent, type CheckedIntentBody } from '@causeway/protocol/rest';
import type { Operation, OperationTerms, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Address, Hex } from 'viem';
import { assertRecipientKeepsFunds } from '../bridge-addresses.js';
import { ChainLife } from '../chain-life.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, STORE, type Chains } from '../infrastructure.js';
import { chooseJudgedBlock, type JudgedBlock } from './judged-block.js';
import { OnChainParameters, quoteTerms, type OnChainValues } from '../on-chain-parameters.js';
import { DeliverabilityService, computeDeliverability, type Deliverability } from '../quotes/deliverability.js';
import { verifySenderSignature } from './sender-signature.js';

/** Accepts signed orders to withdraw native XCN. */
@Injectable()
export class RegisterIntentService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly parameters: OnChainParameters,
    private readonly deliverability: DeliverabilityService,
    private readonly chainLife: ChainLife,
  ) {}

  /**
   * Checks, in this order: replay, deadline, recipient, amount, pause, signature, other open intents. It stores nothing
   * and names no wallet before all checks pass.
   *
   * @param clientIp the address under which a client's open intents are counted.
   * @throws BridgeError with the codes that the specification lists for this endpoint.
   */
  async register(body: CheckedIntentBody, clientIp: string): Promise<IntentResponse> {
    const { senderAddress: sender, idempotencyKey } = body;
    const intent = toSignedIntent(body);
    const { partner } = this.configuration.addressBook;
    const domain = intentDomain(partner);
    const id = intentDigest(domain, intent);
    const earlier = await this.store.intents.findByKey(sender, idempotencyKey);
    if (earlier?.id === id) return this.answer(id);
    if (earlier !== null) {
      throw new BridgeError(
        'VALIDATION_ERROR',
        'idempotencyKey was used for another intent of this sender; use a new key',
        { field: 'idempotencyKey' },
      );
    }
    // A rebuilt database has paid intents without their idempotency keys.
    const rebuilt = await this.store.intents.find(id);
    if (rebuilt?.idempotencyKey === null) return this.answer(id);
    const nowMs = Date.now();
    if (body.deadline * 1000 <= nowMs) {
      throw new BridgeError('DEADLINE_EXPIRED', 'deadline has passed; sign again with a deadline in the future', {
        field: 'deadline',
      });
    }
    assertRecipientKeepsFunds(this.configuration.addressBook, intent.recipient);
    const values = await this.readParameters();
    const judged = await this.readJudgedBlock();
    const direction = 'PARTNER_TO_ETHEREUM';
    const quoted = { ...quoteTerms(values, 'XCN', direction), ...(await this.readPolicy(judged)) };
    const quote = quoteFee('XCN', quoted, intent.amount, direction, 'amountAtomic');
    if (!areIntentsOpen(values, this.wallet()) || (await this.store.halts.deliveries()) !== null) throw paused();
    if (values.attesters.ethereum.needed > 0 && (judged.isLate || (await this.isStill()))) throw behind();
    const signature = await verifySenderSignature(this.chains.partner, {
      intent,
      signature: body.signature,
      domain,
      judgedAtBlock: judged.number,
      otherContracts: [this.configuration.addressBook.ethereum.bridgeLock],
    });
    const terms: OperationTerms = {
      id,
      kind: 'INTENT',
      direction,
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
      estimatedSeconds: estimateSeconds(direction, this.configuration.timing),
    };
    await this.store.intents.register(terms, {
      id,
      sender,
      nonce: intent.nonce,
      idempotencyKey,
      deadlineSeconds: intent.deadline,
      signature,
      judgedAtBlock: judged.number,
      clientIp,
      relayerWallet: this.wallet(),
      mostOpenOfClient: this.configuration.mostOpenIntentsOfClient,
      expiresAt: new Date(Math.min(nowMs + INTENT_WINDOW_SECONDS * 1000, body.deadline * 1000)),
    });
    return this.answer(id);
  }

  /** Maps failures to the only 503 code that the specification allows for node failures during registration. */
  private async readParameters(): Promise<OnChainValues> {
    return this.parameters.readFresh().catch(refuse);
  }

  private async readJudgedBlock(): Promise<JudgedBlock> {
    const { partner } = this.chains;
    const read = await this.store.scan.latestBlock(partner.chainId);
    const judged = await chooseJudgedBlock(partner, read, this.configuration).catch(refuse);
    return judged ?? refuse(new Error('the nodes lack the block at which it is judged'));
  }

  /** Reads the policy as attesters do. The first blocks of a deployment have none. */
  private async readPolicy({ number: blockNumber }: JudgedBlock): Promise<FeePolicy> {
    const { partner } = this.chains;
    const read = partner.agree((client) => readFeePolicies(client, this.configuration.addressBook, { blockNumber }));
    const { XCN: policy } = await read.catch(refuse);
    return policy.minAmount > 0n ? policy : refuse(new Error(`block ${blockNumber} has no policy for XCN`));
  }

  private async isStill(): Promise<boolean> {
    return (await this.chainLife.readProblem('partner').catch(refuse)) !== null;
  }

  private wallet(): Address {
    return this.configuration.addressBook.relayer.toLowerCase() as Address;
  }

  /**
   * Returns the relayer wallet that the intent was accepted with, only if both contracts used it within the last
   * minute: the key of a replaced wallet may be stolen.
   */
  private async answer(id: Hex): Promise<IntentResponse> {
    const values = await this.parameters.readConfirmed().catch(refuse);
    const operation = await this.store.operations.findById(id);
    const intent = await this.store.intents.find(id);
    if (operation === null || intent === null) throw new Error(`Intent ${id} was stored but cannot be found`);
    const wallet = intent.relayerWallet ?? this.wallet();
    if (values.relayer !== wallet) throw paused();
    const funds = await this.deliverability.funds(values, 'XCN', 'PARTNER_TO_ETHEREUM');
    const terms = toIntentResponse(operation, intent.expiresAt, wallet);
    return { ...terms, ...computeDeliverability(funds, operation.amount, Date.now()) };
  }
}

/** Whether the bridge would accept and pay a withdrawal of XCN now. */
function areIntentsOpen({ origins, destinations, relayer }: OnChainValues, wallet: Address): boolean {
  const { paused: isPaused, assets } = origins.PARTNER_TO_ETHEREUM;
  return !isPaused && assets.XCN.mayBegin && !destinations.PARTNER_TO_ETHEREUM.paused && relayer === wallet;
}

function refuse(cause: unknown): never {
  const message = 'The intent cannot be checked now because the nodes do not answer; try again';
  throw new BridgeError('SIGNATURE_VERIFICATION_UNAVAILABLE', message, { cause });
}

function paused(): BridgeError {
  return new BridgeError('SERVICE_PAUSED', 'XCN withdrawals are paused; try again later');
}

/** Attesters would refuse an intent judged at an older block. */
function behind(): BridgeError {
  const message =
    'The bridge has not read the last minute of the partner chain, so it accepts no XCN intents; try again later';
  return new BridgeError('SERVICE_PAUSED', message);
}

function toIntentResponse(
  operation: Operation,
  expiresAt: Date,
  relayer: Hex,
): Omit<IntentResponse, keyof Deliverability> {
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
