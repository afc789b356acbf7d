import {
  ASSETS,
  estimateSeconds,
  formatAmount,
  parseRequest,
  type Asset,
  type Direction,
  type LimitsResponse,
} from '@causeway/protocol';
import { Controller, Get, Header, Inject, Injectable, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Configuration } from './configuration.js';
import { CONFIGURATION } from './infrastructure.js';
import { OnChainParameters, quoteTerms, type OnChainValues } from './on-chain-parameters.js';

/** The present fees, bounds of the amount, confirmations, hold and outflow room, per direction and asset. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly parameters: OnChainParameters,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** The age is that of the values of the contracts. */
  async limits(): Promise<{ limits: LimitsResponse; ageSeconds: number }> {
    const values = await this.parameters.read();
    const limits = {
      ETHEREUM_TO_PARTNER: this.ofDirection('ETHEREUM_TO_PARTNER', values),
      PARTNER_TO_ETHEREUM: this.ofDirection('PARTNER_TO_ETHEREUM', values),
    };
    return { limits, ageSeconds: values.ageSeconds };
  }

  private ofDirection(direction: Direction, values: OnChainValues): LimitsResponse[Direction] {
    const { timing } = this.configuration;
    const inbound = direction === 'ETHEREUM_TO_PARTNER';
    return {
      paused: values.origins[direction].paused,
      requiredConfirmations: inbound ? timing.ethereumConfirmations : timing.partnerConfirmations,
      holdSeconds: inbound ? 0 : timing.holdSeconds,
      estimatedSeconds: estimateSeconds(direction, timing),
      assets: ASSETS.map((asset) => ofAsset(asset, direction, values)),
    };
  }
}

const noParameters = z.strictObject({});

@Controller('api/v1/bridge/limits')
export class LimitsController {
  constructor(private readonly service: LimitsService) {}

  /** `GET /bridge/limits` (specification). */
  @Get()
  @Header('Cache-Control', 'public, max-age=180')
  async limits(@Query() query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<LimitsResponse> {
    parseRequest(noParameters, query);
    const { limits, ageSeconds } = await this.service.limits();
    void reply.header('age', ageSeconds);
    return limits;
  }
}

function ofAsset(token: Asset, direction: Direction, values: OnChainValues) {
  const { bps, minFee, minAmount, maxAmount } = quoteTerms(values, token, direction);
  const { outflowRoom, origins } = values;
  const room = direction === 'ETHEREUM_TO_PARTNER' ? outflowRoom.partner[token] : outflowRoom.ethereum[token];
  return {
    token,
    feeBps: bps,
    minimumFee: minFee.toString(),
    minimumFeeFormatted: formatAmount(token, minFee),
    minimumAmount: minAmount.toString(),
    minimumAmountFormatted: formatAmount(token, minAmount),
    maximumAmount: maxAmount.toString(),
    maximumAmountFormatted: formatAmount(token, maxAmount),
    mayBegin: origins[direction].assets[token].mayBegin,
    outflowRoom: room.toString(),
    outflowRoomFormatted: formatAmount(token, room),
  };
}
