import {
  BridgeError,
  formatAmount,
  parseAmount,
  pickAsset,
  quoteFee,
  type FeeQuoteResponse,
  type Warning,
} from '@causeway/protocol';
import { feeQuoteQuerySchema, parseRequest, type FeeQuoteQuery } from '@causeway/protocol/rest';
import { Controller, Get, Inject, Injectable, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { OnChainParameters, quoteTerms, type KnownValues } from '../on-chain-parameters.js';
import { availableAmount, DeliverabilityService, computeDeliverability, estimateTransfer } from './deliverability.js';
import { TransferFactsReader } from './transfer-facts.js';
import { findWarnings, type FieldNames, type PlannedTransfer } from './warnings.js';

/** Quotes fee and output amount of a transfer by the present policy of BridgeMint. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly parameters: OnChainParameters,
    private readonly deliverability: DeliverabilityService,
    private readonly facts: TransferFactsReader,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Quotes what the contract would charge now, also while it is paused, and says whether it could be delivered now.
   * The age is that of the values of the contracts. With a sender or a recipient it has warnings about them.
   *
   * @throws BridgeError VALIDATION_ERROR, BELOW_MINIMUM, SERVICE_UNAVAILABLE
   */
  async quote(query: FeeQuoteQuery): Promise<{ quote: FeeQuoteResponse; ageSeconds: number }> {
    const amount = parseAmount(query.token, query.amount);
    const values = await this.parameters.read();
    const quote = await this.quoteBy(values, amount, query);
    const { ageSeconds } = values;
    const { token, direction, sender = null, recipient = null } = query;
    if (sender === null && recipient === null) return { quote, ageSeconds };
    const transfer = { token, direction, amount, sender, recipient };
    const warnings = await this.warnings(transfer, { sender: 'sender', recipient: 'recipient' });
    return { quote: { ...quote, warnings }, ageSeconds };
  }

  /** Warns of what looks right and is not. It waits two seconds at most, and never fails. */
  async warnings(transfer: PlannedTransfer, fields: FieldNames): Promise<Warning[]> {
    return findWarnings(this.configuration.addressBook, transfer, await this.facts.read(transfer), fields);
  }

  private async quoteBy(
    values: KnownValues,
    amount: bigint,
    { token, direction }: FeeQuoteQuery,
  ): Promise<FeeQuoteResponse> {
    const { assets, paused } = values.origins[direction];
    if (!pickAsset(assets, token).mayBegin) {
      throw new BridgeError('VALIDATION_ERROR', `token ${token} is not accepted in this direction any more`, {
        field: 'token',
      });
    }
    const terms = quoteTerms(values, token, direction);
    const { fee, outputAmount, bps } = quoteFee(token, terms, amount, direction);
    const funds = await this.deliverability.funds(values, token, direction);
    const nowMs = Date.now();
    const deliverability = computeDeliverability(funds, amount, nowMs);
    const available = availableAmount(funds, terms.maxAmount);
    const { timing } = this.configuration;
    return {
      token,
      direction,
      inputAmount: amount.toString(),
      inputAmountFormatted: formatAmount(token, amount),
      feeAmount: fee.toString(),
      feeAmountFormatted: formatAmount(token, fee),
      feeBps: bps,
      outputAmount: outputAmount.toString(),
      outputAmountFormatted: formatAmount(token, outputAmount),
      minimumAmount: terms.minAmount.toString(),
      maximumAmount: terms.maxAmount.toString(),
      availableAmount: available.toString(),
      availableAmountFormatted: formatAmount(token, available),
      paused,
      ...deliverability,
      estimatedSeconds: paused ? null : estimateTransfer(funds, deliverability, timing, nowMs),
    };
  }
}

@Controller('api/v1/bridge/fee-quote')
export class QuotesController {
  constructor(private readonly quotes: QuotesService) {}

  /** `GET /bridge/fee-quote` (specification). Its answer is as old as the values of the contracts: five seconds. */
  @Get()
  async quote(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<FeeQuoteResponse> {
    const { quote, ageSeconds } = await this.quotes.quote(parseRequest(feeQuoteQuerySchema, query));
    void reply.header('age', ageSeconds);
    void reply.header('cache-control', 'public, max-age=5');
    return quote;
  }
}
