import {
  bindOriginBodySchema,
  intentBodySchema,
  parseRequest,
  type BindOriginResponse,
  type IntentResponse,
} from '@causeway/protocol';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { BindOriginService } from './bind-origin.service.js';
import { RegisterIntentService } from './register-intent.service.js';

@Controller('api/v1/bridge/xcn-withdraw-intent')
export class IntentsController {
  constructor(
    private readonly registration: RegisterIntentService,
    private readonly binding: BindOriginService,
  ) {}

  /** `POST /bridge/xcn-withdraw-intent` (specification). */
  @Post()
  @HttpCode(200)
  async register(@Body() body: unknown): Promise<IntentResponse> {
    return this.registration.register(parseRequest(intentBodySchema, body));
  }

  /** `POST /bridge/xcn-withdraw-intent/bind-origin` (specification). */
  @Post('bind-origin')
  @HttpCode(200)
  async bindOrigin(@Body() body: unknown): Promise<BindOriginResponse> {
    return this.binding.bind(parseRequest(bindOriginBodySchema, body));
  }
}
