import { BridgeError } from '@causeway/protocol';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getPath } from '../server/errors.js';
import { PreviewService } from './preview.js';
import { HASHED, WEB_PAGE, type WebPage } from './web-page.js';

const PAGE = '/index.html';

/** Serves the page from WEB_FOLDER, and its document at every other path, since the page has its own routes. */
@Controller()
export class WebController {
  constructor(
    @Inject(WEB_PAGE) private readonly web: WebPage,
    private readonly previews: PreviewService,
  ) {}

  /** `GET /`: the page. */
  @Get()
  async front(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(PAGE, request, reply);
  }

  /** `GET /transfer/…`: the page with a transfer's title, amount and status, for the preview of a link. */
  @Get('transfer/:id')
  async transfer(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.previews.readPage(id);
    void reply.header('content-security-policy', this.web.policies.get(PAGE));
    await page.send(request, reply);
  }

  /** `GET` of a file, or of a route of the page. `RequestChecks` has refused unknown endpoints. */
  @Get('*')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = getPath(request);
    // A tab with an earlier build must not receive the page instead of a script.
    if (path.startsWith(HASHED) && !this.web.files.has(path))
      throw new BridgeError('NOT_FOUND', 'This page has no such file; reload the page');
    await this.send(this.web.files.has(path) ? path : PAGE, request, reply);
  }

  private async send(path: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const policy = this.web.policies.get(path);
    if (policy !== undefined) void reply.header('content-security-policy', policy);
    await this.web.files.get(path)?.send(request, reply);
  }
}
