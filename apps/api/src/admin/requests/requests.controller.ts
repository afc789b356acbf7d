import { parseRequest } from '@causeway/protocol/rest';
import {
  approveRequestBodySchema,
  createRequestBodySchema,
  previewBodySchema,
  requestParametersSchema,
  requestsQuerySchema,
  type PreviewResponse,
  type RequestResponse,
  type RequestsResponse,
} from '@causeway/protocol/admin';
import { isReadable, type Store } from '@causeway/store';
import { Body, Controller, Get, Header, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { STORE } from '../../infrastructure.js';
import { Access, CurrentSession } from '../access/access.js';
import type { Session } from '../access/sessions.service.js';
import { encodeCursors, readTimeCursor } from '../../operations/cursor.js';
import { toRequestResponse } from './request-response.js';
import { RequestsService } from './requests.service.js';

/** Operators' requests to the relayer, with approvals by other members. */
@Controller('api/v1/admin/requests')
export class RequestsController {
  constructor(
    private readonly service: RequestsService,
    @Inject(STORE) private readonly store: Pick<Store, 'requests'>,
  ) {}

  /** `GET /requests`: one page, newest first. */
  @Get()
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async list(@Query() query: unknown): Promise<RequestsResponse> {
    const { state = null, limit, cursor } = parseRequest(requestsQuerySchema, query);
    const page = await this.store.requests.page(state, { limit, start: readTimeCursor(cursor) });
    const requests = page.rows.filter(isReadable).map((request) => toRequestResponse(this.service.deployment, request));
    return { requests, ...encodeCursors(page) };
  }

  /** `GET /requests/{id}` */
  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async find(@Param() parameters: unknown): Promise<RequestResponse> {
    const { id } = parseRequest(requestParametersSchema, parameters);
    return toRequestResponse(this.service.deployment, await this.service.find(id));
  }

  /** `POST /requests/preview`: the state that a request would be based on, and what its approvers sign. */
  @Post('preview')
  @HttpCode(200)
  @Access('operator')
  async preview(@Body() body: unknown, @CurrentSession() session: Session): Promise<PreviewResponse> {
    const { terms, reason } = parseRequest(previewBodySchema, body);
    return this.service.preview(session, terms, reason);
  }

  /** `POST /requests`: creates a request; idempotent for the same body. */
  @Post()
  @HttpCode(200)
  @Access('operator')
  async create(@Body() body: unknown, @CurrentSession() session: Session): Promise<RequestResponse> {
    const request = await this.service.create(session, parseRequest(createRequestBodySchema, body));
    return toRequestResponse(this.service.deployment, request);
  }

  /** `POST /requests/{id}/approvals`: adds the signature of another person. */
  @Post(':id/approvals')
  @HttpCode(200)
  @Access('operator')
  async approve(
    @Param() parameters: unknown,
    @Body() body: unknown,
    @CurrentSession() session: Session,
  ): Promise<RequestResponse> {
    const { id } = parseRequest(requestParametersSchema, parameters);
    const { signature } = parseRequest(approveRequestBodySchema, body);
    return toRequestResponse(this.service.deployment, await this.service.approve(session, id, signature));
  }
}
