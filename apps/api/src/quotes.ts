import {
  estimateSeconds,
  feeQuoteQuerySchema,
  formatAmount,
  parseAmount,
  parseRequest,
  quoteFee,
  BridgeError,
  type FeeQuoteQuery,
  type FeeQuoteResponse,
} from '@causeway/protocol';
import { Controller, Get, Inject, Injectable, Query } from '@nestjs/common';
import type { Configuration } from './configuration.js';
import { CONFIGURATION } from './infrastructure.js';
import { OnChainParameters } from './on-chain-parameters.js';

/** Quotes fee and output amount of a transfer by the present policy of BridgeMint. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly parameters: OnChainParameters,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws BridgeError VALIDATION_ERROR, BELOW_MINIMUM */
  async quote({ token, amount: text, direction }: FeeQuoteQuery): Promise<FeeQuoteResponse> {
    const amount = parseAmount(token, text);
    const policy = (await this.parameters.read()).policies[token];
    const minimum = direction === 'PARTNER_TO_ETHEREUM' ? policy.minAmount : 0n;
    if (amount < minimum) {
      const message = `amount is below the minimum of ${formatAmount(token, minimum)} ${token}`;
      throw new BridgeError('BELOW_MINIMUM', message, { field: 'amount' });
    }
    const { fee, outputAmount, bps } = quoteFee(policy, amount, direction);
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
      minimumAmount: minimum.toString(),
      estimatedSeconds: estimateSeconds(direction, this.configuration.timing),
    };
  }
}

@Controller('api/v1/bridge/fee-quote')
export class QuotesController {
  constructor(private readonly quotes: QuotesService) {}

  /** `GET /bridge/fee-quote` (specification). */
  @Get()
  async quote(@Query() query: unknown): Promise<FeeQuoteResponse> {
    return this.quotes.quote(parseRequest(feeQuoteQuerySchema, query));
  }
}
