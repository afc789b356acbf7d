import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendCacheable } from '../caching.js';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { buildDocument } from './document.js';
import examples from './examples.json' with { type: 'json' };

const CACHE_CONTROL = 'public, max-age=300';

@Controller('api/v1/openapi.json')
export class OpenApiController {
  private readonly document;

  constructor(@Inject(CONFIGURATION) { publicOrigin }: Configuration) {
    this.document = buildDocument(examples, publicOrigin);
  }

  /** `GET /api/v1/openapi.json`: this API, for code generators and for people. */
  @Get()
  openapi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendCacheable(request, reply, this.document, CACHE_CONTROL);
  }
}
