import { BridgeError, type AddressBook } from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import {
  sessionParametersSchema,
  type MembersResponse,
  type SessionResponse,
  type SessionsResponse,
} from '@causeway/protocol/admin';
import { Controller, Delete, Get, HttpCode, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Configuration } from '../../configuration.js';
import { CONFIGURATION } from '../../infrastructure.js';
import { Access, CurrentSession } from './access.js';
import { MembersService } from './members.service.js';
import { NO_SESSION_COOKIE } from './session-cookie.js';
import { SESSION_LIFETIMES, SessionsService, type Session } from './sessions.service.js';

@Controller('api/v1/admin')
export class SessionController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly members: MembersService,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** `GET /session`: the session of the request, with its CSRF token. */
  @Get('session')
  @Access('viewer')
  session(@CurrentSession() session: Session): SessionResponse {
    return toSessionResponse(session, this.configuration.addressBook);
  }

  /** `DELETE /session`: signs out. */
  @Delete('session')
  @HttpCode(204)
  @Access('viewer')
  async signOut(@CurrentSession() session: Session, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.sessions.end(session, session.id);
    void reply.header('set-cookie', NO_SESSION_COOKIE);
  }

  /** `GET /sessions`: the sessions of the caller. */
  @Get('sessions')
  @Access('viewer')
  async list(@CurrentSession() session: Session): Promise<SessionsResponse> {
    const sessions = await this.sessions.list(session.address);
    return {
      sessions: sessions.map(({ id, clientIp, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        isCurrent: id === session.id,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        clientIp,
        userAgent,
      })),
    };
  }

  /** `DELETE /sessions/{id}`: ends one session of the caller. */
  @Delete('sessions/:id')
  @HttpCode(204)
  @Access('viewer')
  async end(@CurrentSession() session: Session, @Param() parameters: unknown): Promise<void> {
    const { id } = parseRequest(sessionParametersSchema, parameters);
    if (!(await this.sessions.end(session, id)))
      throw new BridgeError('NOT_FOUND', 'You have no active session with this id');
  }

  /** `DELETE /sessions`: ends all sessions of the caller, including this one. */
  @Delete('sessions')
  @HttpCode(204)
  @Access('viewer')
  async endAll(@CurrentSession() session: Session, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.sessions.endAll(session);
    void reply.header('set-cookie', NO_SESSION_COOKIE);
  }

  /** `GET /members`: the allow-list. */
  @Get('members')
  @Access('viewer')
  async allowList(): Promise<MembersResponse> {
    return { members: await this.members.list() };
  }
}

export function toSessionResponse(session: Session, { assets }: AddressBook): SessionResponse {
  const { id, address, role, csrfToken, ...times } = session;
  const { createdAt, lastUsedAt, expiresAt } = times;
  const idleExpiresAt = Math.min(lastUsedAt.getTime() + SESSION_LIFETIMES.idleMs, expiresAt.getTime());
  return {
    id,
    address,
    role,
    csrfToken,
    createdAt: createdAt.toISOString(),
    idleExpiresAt: new Date(idleExpiresAt).toISOString(),
    expiresAt: expiresAt.toISOString(),
    ...(assets && { assets }),
  };
}
