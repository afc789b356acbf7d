import { eventsHeadersSchema, eventsQuerySchema, parseRequest, type EventsQuery } from '@causeway/protocol/rest';
import type { OperationChanges, Store } from '@causeway/store';
import { Controller, Get, Inject, Injectable, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { STORE } from '../infrastructure.js';
import { ClientLimits } from '../server/client-limits.js';
import { ApiMetrics } from '../server/metrics.js';
import { ChangeFeed } from './change-feed.js';
import { EventStream } from './event-stream.js';

/** Changes in the whole bridge, at most, that are searched when a client resumes an address. */
const MOST_MISSED = 5_000;
/** Reconnection delay in milliseconds, spread because a replica ends all its streams together. */
const RETRY_MS = { least: 1_000, spread: 4_000 };

/** How a stream begins: with changes, or with a `resync` if the client must read the history. */
interface Beginning {
  readonly changes: OperationChanges;
  /** The client has all changes below it. */
  readonly position: bigint;
  readonly isResync: boolean;
}

/** Opens streams of server-sent events. */
@Injectable()
export class EventsService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    private readonly feed: ChangeFeed,
    private readonly metrics: ApiMetrics,
    private readonly logger: PinoLogger,
  ) {}

  /**
   * Responds with a stream, or with 204 when no event can follow the last one.
   *
   * @param last the id of the last event that the client has.
   * @param onClosed called when the stream has ended, but not when this rejects.
   */
  async open(
    followed: EventsQuery,
    last: bigint | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    onClosed: () => void,
  ): Promise<void> {
    const { changes, position, isResync } = await this.begin(followed, last);
    const updates = (await this.feed.toUpdates(changes.changed)).map(({ update }) => update);
    reply.hijack();
    const { raw } = reply;
    if (raw.destroyed) return onClosed();
    const stream = new EventStream(followed, position, raw, () => {
      this.metrics.streamDropped();
      this.logger.debug({ requestId: request.id }, 'closed an event stream: its reader is too slow');
    });
    raw.once('close', () => {
      this.feed.remove(stream);
      this.metrics.streamClosed();
      onClosed();
    });
    raw.on('error', () => undefined);
    this.metrics.streamOpened();
    raw.setHeaders(new Map(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])));
    raw.setHeader('cache-control', 'no-store');
    const isOver = last !== undefined && followed.id !== undefined && isOverBefore(updates, position);
    if (isOver) {
      raw.writeHead(204).end();
      return;
    }
    // Proxies must forward each event immediately; nginx reads the second header.
    raw.setHeader('content-type', 'text/event-stream; charset=utf-8').setHeader('x-accel-buffering', 'no');
    raw.writeHead(200);
    if (request.method === 'HEAD') {
      raw.end();
      return;
    }
    raw.write(`retry: ${RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread)}\n\n`);
    if (isResync) stream.resync(changes.watermark);
    else stream.deliver(updates, changes.watermark);
    this.feed.add(stream);
  }

  private async begin({ id, originTxHash, address }: EventsQuery, last: bigint | undefined): Promise<Beginning> {
    const { changes } = this.store;
    if (address === undefined) {
      const now = await (id === undefined ? changes.ofOriginTx(originTxHash ?? '0x') : changes.ofId(id));
      // An id above the watermark comes from another database, such as the one before a backup was restored.
      const position = last !== undefined && last <= now.watermark ? last : 0n;
      return { changes: now, position, isResync: false };
    }
    const followed = { ids: [], originTxHashes: [], addresses: [address] };
    const missed = last === undefined ? null : await changes.since(last, followed, MOST_MISSED);
    if (missed !== null && last !== undefined && last <= missed.watermark)
      return { changes: missed, position: last, isResync: false };
    const watermark = await changes.watermark();
    return { changes: { changed: [], watermark }, position: watermark, isResync: true };
  }
}

/** Whether the client already has the operation's terminal event. */
function isOverBefore(
  updates: readonly { readonly changedIn: bigint; readonly isTerminal: boolean }[],
  position: bigint,
) {
  return updates.some(({ changedIn, isTerminal }) => isTerminal && changedIn < position);
}

@Controller('api/v1/bridge')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly limits: ClientLimits,
  ) {}

  /** `GET /bridge/events`: server-sent events of an operation, a transaction or an address. */
  @Get('events')
  async open(@Query() query: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const followed = parseRequest(eventsQuerySchema, query);
    const headers = parseRequest(eventsHeadersSchema, { 'Last-Event-ID': request.headers['last-event-id'] });
    const close = this.limits.countStream(this.limits.identifyClient(request));
    try {
      await this.events.open(followed, headers['Last-Event-ID'], request, reply, close);
    } catch (error) {
      close();
      throw error;
    }
  }
}
