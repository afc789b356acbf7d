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

/** Quotes the fee and output amount of a transfer by BridgeMint's present policy. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly parameters: OnChainParameters,
    private readonly deliverability: DeliverabilityService,
    private readonly facts: TransferFactsReader,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Quotes what the contract would charge now, even while paused, and whether the amount could be delivered now.
   * Returns the age of the contract values. If a sender or recipient is given, the quote has warnings about them.
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

  /** Warns of likely mistakes. Waits two seconds at most, and does not fail. */
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
      throw new BridgeError('VALIDATION_ERROR', `token ${token} is not accepted in this direction`, {
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

  /** `GET /bridge/fee-quote` (specification). Cached for five seconds, like the contract values. */
  @Get()
  async quote(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<FeeQuoteResponse> {
    const { quote, ageSeconds } = await this.quotes.quote(parseRequest(feeQuoteQuerySchema, query));
    void reply.header('age', ageSeconds);
    void reply.header('cache-control', 'public, max-age=5');
    return quote;
  }
}
