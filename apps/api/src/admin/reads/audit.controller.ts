import { parseRequest } from '@causeway/protocol/rest';
import { auditCsvQuerySchema, auditQuerySchema, type AuditResponse, type AuditQuery } from '@causeway/protocol/admin';
import type { AuditFilter, AuditRow, Store } from '@causeway/store';
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { STORE } from '../../infrastructure.js';
import { Access } from '../access/access.js';
import { ReportedCalls } from '../contracts/reported-calls.js';
import { csvCell, CsvFiles } from './csv.js';
import { encodeCursors, readSequenceCursor } from '../../operations/cursor.js';

/** The columns that the response and the CSV file share. */
type Columns = Omit<AuditResponse['rows'][number], 'reported'>;

const COLUMNS = [
  'sequence',
  'at',
  'actor',
  'role',
  'sessionId',
  'action',
  'subject',
  'before',
  'after',
  'reason',
  'txHash',
  'previousHash',
  'hash',
] as const satisfies readonly (keyof Columns)[];

/** Read-only access to the audit log. */
@Controller('api/v1/admin')
export class AuditController {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'adminAudit'>,
    private readonly files: CsvFiles,
    private readonly reported: ReportedCalls,
  ) {}

  /** `GET /audit`: one page, newest first. Reported calls carry the chain's outcome. */
  @Get('audit')
  @Access('viewer')
  async page(@Query() query: unknown): Promise<AuditResponse> {
    const { limit, cursor, ...filter } = parseRequest(auditQuerySchema, query);
    const page = await this.store.adminAudit.page(toFilter(filter), { limit, start: readSequenceCursor(cursor) });
    const rows = page.rows.map(async (row) => {
      const reported = row.action === 'contract-call' ? await this.reported.ofRow(row.after, row.actor) : null;
      return { ...toColumns(row), reported };
    });
    return { rows: await Promise.all(rows), ...encodeCursors(page) };
  }

  /** `GET /audit.csv`: all rows that match the filters at the start of the request, newest first. */
  @Get('audit.csv')
  @Access('viewer')
  async csv(@Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const filter = toFilter(parseRequest(auditCsvQuerySchema, query));
    await this.files.send(reply, 'audit.csv', toCsvLines(this.store.adminAudit.all(filter)));
  }
}

function toFilter({ actor, action, subject }: Omit<AuditQuery, 'limit' | 'cursor'>): AuditFilter {
  return { actor: actor ?? null, action: action ?? null, subject: subject ?? null };
}

function toColumns(row: AuditRow): Columns {
  return { ...row, at: row.at.toISOString() };
}

async function* toCsvLines(pages: AsyncGenerator<AuditRow[]>): AsyncGenerator<string, void, void> {
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const rows of pages) yield rows.map((row) => toCsvLine(toColumns(row))).join('');
}

function toCsvLine(row: Columns): string {
  const cells = COLUMNS.map((column) => {
    const value = row[column];
    if (value === null || typeof value === 'string' || typeof value === 'number') return csvCell(value);
    return csvCell(JSON.stringify(value));
  });
  return `${cells.join(',')}\r\n`;
}
