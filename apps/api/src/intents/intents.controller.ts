import {
  bindOriginBodySchema,
  intentBodySchema,
  parseRequest,
  type BindOriginResponse,
  type IntentResponse,
} from '@causeway/protocol';
import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
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
  async register(@Body() body: unknown, @Ip() ip: string): Promise<IntentResponse> {
    return this.registration.register(parseRequest(intentBodySchema, body), clientOf(ip));
  }

  /** `POST /bridge/xcn-withdraw-intent/bind-origin` (specification). */
  @Post('bind-origin')
  @HttpCode(200)
  async bindOrigin(@Body() body: unknown): Promise<BindOriginResponse> {
    return this.binding.bind(parseRequest(bindOriginBodySchema, body));
  }
}

/** Groups of 16 bits in the network half of an IPv6 address: a subscriber is given the whole network. */
const NETWORK_GROUPS = 4;

/** The address under which limits count a client: an IPv4 address, or the /64 network of an IPv6 address. */
function clientOf(ip: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped !== undefined || !ip.includes(':')) return mapped ?? ip;
  // The URL parser writes the canonical form, where only `::` is left to expand.
  const [left = '', right] = new URL(`http://[${ip.split('%')[0] ?? ''}]`).hostname.slice(1, -1).split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::`;
}
