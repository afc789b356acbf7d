import type { BindOriginResponse, IntentResponse } from '@causeway/protocol';
import { bindOriginBodySchema, intentBodySchema, parseRequest } from '@causeway/protocol/rest';
import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ClientLimits } from '../server/client-limits.js';
import { BindOriginService } from './bind-origin.service.js';
import { RegisterIntentService } from './register-intent.service.js';

@Controller('api/v1/bridge/xcn-withdraw-intent')
export class IntentsController {
  constructor(
    private readonly registration: RegisterIntentService,
    private readonly binding: BindOriginService,
    private readonly limits: ClientLimits,
  ) {}

  /** `POST /bridge/xcn-withdraw-intent` (specification). */
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async register(@Body() body: unknown, @Req() request: FastifyRequest): Promise<IntentResponse> {
    const intent = parseRequest(intentBodySchema, body);
    const client = this.limits.identifyClient(request);
    return this.limits.countIntent(client, async () => this.registration.register(intent, client.key));
  }

  /** `POST /bridge/xcn-withdraw-intent/bind-origin` (specification). */
  @Post('bind-origin')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async bindOrigin(@Body() body: unknown): Promise<BindOriginResponse> {
    return this.binding.bind(parseRequest(bindOriginBodySchema, body));
  }
}
