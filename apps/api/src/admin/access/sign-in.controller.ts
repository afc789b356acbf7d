import { parseRequest } from '@causeway/protocol/rest';
import { signInBodySchema, type NonceResponse, type SessionResponse } from '@causeway/protocol/admin';
import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION } from '../../infrastructure.js';
import { ClientLimits } from '../../server/client-limits.js';
import { Access } from './access.js';
import { readSessionCookie, sessionCookie } from './session-cookie.js';
import { toSessionResponse } from './session.controller.js';
import { SignInService } from './sign-in.service.js';

@Controller('api/v1/admin/sign-in')
export class SignInController {
  constructor(
    private readonly service: SignInService,
    private readonly limits: ClientLimits,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** `POST /sign-in/nonce`: a nonce for one message. */
  @Post('nonce')
  @HttpCode(200)
  @Access('anyone')
  async nonce(): Promise<NonceResponse> {
    return this.service.issueNonce();
  }

  /** `POST /sign-in`: begins a session, and ends the session of the request's cookie. */
  @Post()
  @HttpCode(200)
  @Access('anyone')
  async signIn(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const { session, token } = await this.service.signIn({
      ...parseRequest(signInBodySchema, body),
      clientIp: this.limits.identifyClient(request).key,
      userAgent: request.headers['user-agent'],
      presentedToken: readSessionCookie(request.headers.cookie),
    });
    void reply.header('set-cookie', sessionCookie(token));
    return toSessionResponse(session, this.configuration.addressBook);
  }
}
