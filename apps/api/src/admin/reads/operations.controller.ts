import { BridgeError } from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import {
  adminIdParametersSchema,
  adminOperationsCsvQuerySchema,
  adminOperationsQuerySchema,
  type AdminOperationResponse,
  type AdminOperationsQuery,
  type AdminOperationsResponse,
} from '@causeway/protocol/admin';
import type { OperationFilters, Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Hex } from 'viem';
import { STORE } from '../../infrastructure.js';
import { Access } from '../access/access.js';
import { CsvFiles } from './csv.js';
import { encodeCursors, readTimeCursor } from '../../operations/cursor.js';
import { toOperationRow } from './operation-row.js';
import { OperationRecordService } from './operation-record.service.js';
import { OperationSearch } from './operation-search.js';

/** The operations of the whole bridge. */
@Controller('api/v1/admin')
export class AdminOperationsController {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'listing' | 'exports'>,
    private readonly search: OperationSearch,
    private readonly records: OperationRecordService,
    private readonly files: CsvFiles,
  ) {}

  /**
   * `GET /operations`: one page, newest first. A filtered page of an address can be shorter than the limit, even empty.
   */
  @Get('operations')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async list(@Query() query: unknown): Promise<AdminOperationsResponse> {
    const { search, limit, cursor, ...fields } = parseRequest(adminOperationsQuerySchema, query);
    const filters = toFilters(fields);
    if (search !== undefined) {
      const { rows, ...cursors } = await this.search.find(search as Hex, { filters, limit, cursor });
      return { operations: rows.map(toOperationRow), ...cursors };
    }
    const page = await this.store.listing.page(filters, { limit, start: readTimeCursor(cursor) });
    return { operations: page.rows.map(toOperationRow), ...encodeCursors(page) };
  }

  /** `GET /operations.csv`: all rows that match the filters at the start of the request, newest first. */
  @Get('operations.csv')
  @Access('viewer')
  async csv(@Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { search, ...fields } = parseRequest(adminOperationsCsvQuerySchema, query);
    const lines = this.store.exports.csv({ filters: toFilters(fields), search: (search as Hex | undefined) ?? null });
    await this.files.send(reply, 'operations.csv', lines);
  }

  /** `GET /operations/{id}`: one operation with everything known about it. */
  @Get('operations/:id')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async one(@Param() parameters: unknown, @Query() query: unknown): Promise<AdminOperationResponse> {
    const { id } = parseRequest(adminIdParametersSchema, { ...(query as object), ...(parameters as object) });
    const record = await this.records.find(id);
    if (record === null) throw new BridgeError('OPERATION_NOT_FOUND', 'No operation has this id');
    return record;
  }
}

/** Converts the filters of a query; an absent filter becomes null. */
function toFilters(fields: Omit<AdminOperationsQuery, 'search' | 'limit' | 'cursor'>): OperationFilters {
  const { status = null, delay = null, asset = null, direction = null, kind = null, from, until } = fields;
  const time = (text: string | undefined) => (text === undefined ? null : new Date(text));
  return { status, delay, asset, direction, kind, from: time(from), until: time(until) };
}
