import {
  estimateSeconds,
  formatAmount,
  listAssets,
  pickAsset,
  type Asset,
  type Direction,
  type LimitsResponse,
} from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import { Controller, Get, Inject, Injectable, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { OnChainParameters, quoteTerms, type KnownValues, type OnChainValues } from '../on-chain-parameters.js';
import { sendCacheable } from '../caching.js';
import { availableAmount, DeliverabilityService, type DeliveryFunds } from './deliverability.js';

/** Present fees, amount bounds, confirmations, hold and deliverable amounts, per direction and asset. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly parameters: OnChainParameters,
    private readonly deliverability: DeliverabilityService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * Returns the limits, and the age of the contract values.
   *
   * @throws BridgeError SERVICE_UNAVAILABLE
   */
  async limits(): Promise<{ limits: LimitsResponse; ageSeconds: number }> {
    const values = await this.parameters.read();
    const limits = {
      ETHEREUM_TO_PARTNER: await this.ofDirection('ETHEREUM_TO_PARTNER', values),
      PARTNER_TO_ETHEREUM: await this.ofDirection('PARTNER_TO_ETHEREUM', values),
    };
    return { limits, ageSeconds: values.ageSeconds };
  }

  private async ofDirection(direction: Direction, values: KnownValues): Promise<LimitsResponse[Direction]> {
    const read = async (asset: Asset) => [asset, await this.deliverability.funds(values, asset, direction)] as const;
    const funds = await Promise.all(listAssets().map(read));
    const { timing } = this.configuration;
    const inbound = direction === 'ETHEREUM_TO_PARTNER';
    const { paused } = values.origins[direction];
    const deliveriesPaused = funds.every(([, { stoppedBy }]) => stoppedBy !== null);
    return {
      paused,
      deliveriesPaused,
      undeliverableReason: deliveriesPaused ? (funds[0]?.[1].stoppedBy ?? null) : null,
      requiredConfirmations: inbound ? timing.ethereumConfirmations : timing.partnerConfirmations,
      holdSeconds: inbound ? 0 : timing.holdSeconds,
      estimatedSeconds: paused || deliveriesPaused ? null : estimateSeconds(direction, timing),
      assets: funds.map(([asset, each]) => ofAsset(asset, each, values)),
    };
  }
}

const noParameters = z.strictObject({});
const CACHE_CONTROL = 'public, max-age=180';

@Controller('api/v1/bridge/limits')
export class LimitsController {
  constructor(private readonly service: LimitsService) {}

  /** `GET /bridge/limits` (specification): clients can cache it for three minutes. */
  @Get()
  async limits(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    parseRequest(noParameters, query);
    const { limits, ageSeconds } = await this.service.limits();
    void reply.header('age', ageSeconds);
    sendCacheable(request, reply, limits, CACHE_CONTROL);
  }
}

function ofAsset(token: Asset, funds: DeliveryFunds, values: OnChainValues) {
  const { direction } = funds;
  const { bps, minFee, minAmount, maxAmount } = quoteTerms(values, token, direction);
  const { room } = pickAsset(values.destinations[direction].assets, token);
  const available = availableAmount(funds, maxAmount);
  return {
    token,
    feeBps: bps,
    minimumFee: minFee.toString(),
    minimumFeeFormatted: formatAmount(token, minFee),
    minimumAmount: minAmount.toString(),
    minimumAmountFormatted: formatAmount(token, minAmount),
    maximumAmount: maxAmount.toString(),
    maximumAmountFormatted: formatAmount(token, maxAmount),
    mayBegin: pickAsset(values.origins[direction].assets, token).mayBegin,
    availableAmount: available.toString(),
    availableAmountFormatted: formatAmount(token, available),
    outflowRoom: room.toString(),
    outflowRoomFormatted: formatAmount(token, room),
  };
}
