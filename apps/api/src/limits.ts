import {
  ASSETS,
  estimateSeconds,
  formatAmount,
  parseRequest,
  type Asset,
  type Direction,
  type LimitsResponse,
} from '@causeway/protocol';
import { Controller, Get, Header, Inject, Injectable, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Configuration } from './configuration.js';
import { CONFIGURATION } from './infrastructure.js';
import { OnChainParameters, type OnChainValues } from './on-chain-parameters.js';

/** The present fees, minimums, confirmations, hold and outflow room, per direction and asset. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly parameters: OnChainParameters,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  async limits(): Promise<LimitsResponse> {
    const values = await this.parameters.read();
    return {
      ETHEREUM_TO_PARTNER: this.ofDirection('ETHEREUM_TO_PARTNER', values),
      PARTNER_TO_ETHEREUM: this.ofDirection('PARTNER_TO_ETHEREUM', values),
    };
  }

  private ofDirection(direction: Direction, values: OnChainValues): LimitsResponse[Direction] {
    const { timing } = this.configuration;
    const inbound = direction === 'ETHEREUM_TO_PARTNER';
    return {
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
  async limits(@Query() query: unknown): Promise<LimitsResponse> {
    parseRequest(noParameters, query);
    return this.service.limits();
  }
}

function ofAsset(token: Asset, direction: Direction, { policies, outflowRoom }: OnChainValues) {
  const inbound = direction === 'ETHEREUM_TO_PARTNER';
  const policy = inbound ? { bps: 0, minFee: 0n, minAmount: 0n } : policies[token];
  const room = inbound ? outflowRoom.partner[token] : outflowRoom.ethereum[token];
  return {
    token,
    feeBps: policy.bps,
    minimumFee: policy.minFee.toString(),
    minimumFeeFormatted: formatAmount(token, policy.minFee),
    minimumAmount: policy.minAmount.toString(),
    minimumAmountFormatted: formatAmount(token, policy.minAmount),
    outflowRoom: room.toString(),
    outflowRoomFormatted: formatAmount(token, room),
  };
}
