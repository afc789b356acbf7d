import {
  estimateSeconds,
  feeQuoteQuerySchema,
  formatAmount,
  parseAmount,
  parseRequest,
  quoteFee,
  BridgeError,
  type Asset,
  type FeeQuoteQuery,
  type FeeQuoteResponse,
  type QuoteTerms,
} from '@causeway/protocol';
import { Controller, Get, Inject, Injectable, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Configuration } from './configuration.js';
import { CONFIGURATION } from './infrastructure.js';
import { OnChainParameters, quoteTerms } from './on-chain-parameters.js';

/** Quotes fee and output amount of a transfer by the present policy of BridgeMint. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly parameters: OnChainParameters,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Quotes what the contract would charge now, also while it is paused. The age is that of the values of the contracts.
   *
   * @throws BridgeError VALIDATION_ERROR, BELOW_MINIMUM
   */
  async quote({
    token,
    amount: text,
    direction,
  }: FeeQuoteQuery): Promise<{ quote: FeeQuoteResponse; ageSeconds: number }> {
    const amount = parseAmount(token, text);
    const values = await this.parameters.read();
    const { assets, paused } = values.origins[direction];
    if (!assets[token].mayBegin) {
      throw new BridgeError('VALIDATION_ERROR', `token ${token} is not accepted in this direction any more`, {
        field: 'token',
      });
    }
    const terms = quoteTerms(values, token, direction);
    assertWithinBounds(token, amount, terms);
    const { fee, outputAmount, bps } = quoteFee(terms, amount, direction);
    const answer = {
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
      paused,
      estimatedSeconds: estimateSeconds(direction, this.configuration.timing),
    };
    return { quote: answer, ageSeconds: values.ageSeconds };
  }
}

@Controller('api/v1/bridge/fee-quote')
export class QuotesController {
  constructor(private readonly quotes: QuotesService) {}

  /** `GET /bridge/fee-quote` (specification). */
  @Get()
  async quote(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<FeeQuoteResponse> {
    const { quote, ageSeconds } = await this.quotes.quote(parseRequest(feeQuoteQuerySchema, query));
    void reply.header('age', ageSeconds);
    return quote;
  }
}

/** Refuses with decimals, as the user wrote the amount. `quoteFee` refuses the same in atomic units. */
export function assertWithinBounds(
  token: Asset,
  amount: bigint,
  { minAmount, maxAmount }: QuoteTerms,
  field = 'amount',
): void {
  if (amount < minAmount) {
    const message = `${field} is below the minimum of ${formatAmount(token, minAmount)} ${token}`;
    throw new BridgeError('BELOW_MINIMUM', message, { field });
  }
  if (amount > maxAmount) {
    const message = `${field} is above the maximum of ${formatAmount(token, maxAmount)} ${token}`;
    throw new BridgeError('VALIDATION_ERROR', message, { field });
  }
}
