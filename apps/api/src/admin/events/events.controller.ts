import { eventsHeadersSchema, parseRequest } from '@causeway/protocol/rest';
import { noQuerySchema } from '@causeway/protocol/admin';
import type { OperationChanges, Store } from '@causeway/store';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { STORE } from '../../infrastructure.js';
import { ClientLimits } from '../../server/client-limits.js';
import { Access, CurrentSession } from '../access/access.js';
import type { Session } from '../access/sessions.service.js';
import { ConsoleFeed, toUpdate } from './console-feed.js';
import { ConsoleStream } from './console-stream.js';

/** Changes replayed to a reconnecting console, at most. Beyond them it reads its pages again. */
const MOST_MISSED = 100;
/** Reconnection delay in milliseconds, spread because a replica ends all its streams together. */
const RETRY_MS = { least: 500, spread: 1_500 };

/** The event stream of the console. */
@Controller('api/v1/admin')
export class AdminEventsController {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'changes'>,
    private readonly feed: ConsoleFeed,
    private readonly limits: ClientLimits,
    private readonly logger: PinoLogger,
  ) {}

  /** `GET /events`: server-sent events of all operations and announcements of other changes. */
  @Get('events')
  @Access('viewer')
  async open(
    @CurrentSession() session: Session,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    parseRequest(noQuerySchema, query);
    const headers = parseRequest(eventsHeadersSchema, { 'Last-Event-ID': request.headers['last-event-id'] });
    // Counted by session: many consoles can share an address.
    const close = this.limits.countStream({ key: session.id, isExempt: false });
    try {
      await this.send(session, headers['Last-Event-ID'], request, reply, close);
    } catch (error) {
      close();
      throw error;
    }
  }

  private async send(
    session: Session,
    last: bigint | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    onClosed: () => void,
  ): Promise<void> {
    const missed = last === undefined ? null : await this.missedSince(last);
    const watermark = missed?.watermark ?? (await this.store.changes.watermark());
    reply.hijack();
    const { raw } = reply;
    if (raw.destroyed) return onClosed();
    const position = missed === null ? watermark : (last ?? watermark);
    const stream = new ConsoleStream(session.id, position, raw, () =>
      this.logger.debug({ requestId: request.id }, 'closed the event stream of a console: its reader is too slow'),
    );
    raw.once('close', () => {
      this.feed.remove(stream);
      onClosed();
    });
    raw.on('error', () => undefined);
    raw.setHeaders(new Map(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])));
    raw.setHeader('cache-control', 'no-store');
    // Proxies must forward each event immediately; nginx reads the second header.
    raw.setHeader('content-type', 'text/event-stream; charset=utf-8').setHeader('x-accel-buffering', 'no');
    raw.writeHead(200);
    if (request.method === 'HEAD') {
      raw.end();
      return;
    }
    raw.write(`retry: ${RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread)}\n\n`);
    if (missed === null) stream.resync(watermark);
    else stream.deliver(missed.changed.map(toUpdate), watermark);
    this.feed.add(stream);
  }

  /** Null when the console must read its pages again: it missed too much, or its id comes from another database. */
  private async missedSince(last: bigint): Promise<OperationChanges | null> {
    const all = { ids: [], originTxHashes: [], addresses: [], all: true };
    const missed = await this.store.changes.since(last, all, MOST_MISSED);
    return missed === null || last > missed.watermark ? null : missed;
  }
}
