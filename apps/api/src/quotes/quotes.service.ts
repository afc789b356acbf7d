import {
  estimateSeconds,
  formatAmount,
  parseAmount,
  quoteFee,
  BridgeError,
  type FeeQuoteQuery,
  type FeeQuoteResponse,
} from '@causeway/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration } from '../config/configuration.js';
import { OnChainParameters } from '../infra/on-chain-parameters.js';
import { CONFIGURATION } from '../infra/injection-tokens.js';

/** Says what a transfer would cost and deliver, by the policy that the contract has now. */
@Injectable()
export class QuotesService {
  constructor(
    private readonly terms: OnChainParameters,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** @throws BridgeError VALIDATION_ERROR, BELOW_MINIMUM */
  async quote({ token, amount: text, direction }: FeeQuoteQuery): Promise<FeeQuoteResponse> {
    const amount = parseAmount(token, text);
    const policy = (await this.terms.read()).policies[token];
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
