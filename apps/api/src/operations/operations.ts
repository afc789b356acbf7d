import {
  BridgeError,
  isTerminal,
  MAXIMUM_IDS,
  type BridgeOperationResponse,
  type HistoryResponse,
  type OperationsResponse,
  type Verdict,
} from '@causeway/protocol';
import {
  historyQuerySchema,
  operationsQuerySchema,
  parseRequest,
  statusQuerySchema,
  type HistoryQueryParameters,
  type OperationsQuery,
  type StatusQuery,
} from '@causeway/protocol/rest';
import { UnknownCursorError, type Operation, type Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Injectable, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Hex } from 'viem';
import { ExplainService } from '../explain/explain.js';
import { STORE } from '../infrastructure.js';
import { encodeCursors, readTimeCursor } from './cursor.js';
import { OperationReads } from './operation-reads.js';
import { OperationAnswers } from './operation-answers.js';

/** Finds an operation by any of its identifiers, and lists the operations of an address. */
@Injectable()
export class OperationsService {
  constructor(
    private readonly reads: OperationReads,
    private readonly answers: OperationAnswers,
    private readonly explainer: ExplainService,
    @Inject(STORE) private readonly store: Pick<Store, 'listing'>,
  ) {}

  /**
   * Finds the operation that all identifiers of the query name. An identifier that names no operation yet is ignored
   * when another one does, since the relayer may not have read its event yet. For a transaction that the relayer has
   * not read, the response comes from the chain.
   *
   * @throws BridgeError OPERATION_NOT_FOUND, VALIDATION_ERROR, SERVICE_UNAVAILABLE
   */
  async status(query: StatusQuery): Promise<BridgeOperationResponse> {
    const { originTxHash, index = 0 } = query;
    const stored = originTxHash === undefined ? [] : await this.reads.byOriginTx(originTxHash);
    const byId = await this.byId(query, stored);
    const isMiss = byId === undefined && stored.length === 0;
    const explanation = isMiss && originTxHash !== undefined ? await this.explainer.explain(originTxHash) : null;
    const ofTransaction = explanation?.begun ?? stored;
    const operation = byId ?? ofTransaction[index];
    if (operation === undefined)
      throw new BridgeError('OPERATION_NOT_FOUND', whyNotFound(explanation?.verdict ?? null, ofTransaction.length));
    const others = ofTransaction.filter(({ id }) => id !== operation.id).map(({ id }) => id);
    return this.answers.answer(operation, others);
  }

  /**
   * Returns one page of an address's operations, newest first, or the operations with the given ids, in that order.
   *
   * @throws BridgeError VALIDATION_ERROR when the cursor belongs to another history.
   */
  async history(query: HistoryQueryParameters): Promise<HistoryResponse> {
    const { address, ids, limit, offset, cursor = null, direction = null, role = null, status = null } = query;
    if (address === undefined) return this.respond(await this.inOrder(ids ?? []), { limit: MAXIMUM_IDS, offset });
    const asked = { address, limit, offset, cursor, direction, role, statuses: status };
    const page = await this.reads.page(asked).catch((error: unknown) => {
      throw error instanceof UnknownCursorError ? unknownCursor(error) : error;
    });
    return this.respond(page.operations, { limit, offset }, page);
  }

  /**
   * Returns one page of the operations that match every filter, newest first.
   *
   * @throws BridgeError VALIDATION_ERROR when the cursor is not from an earlier page.
   */
  async list(query: OperationsQuery): Promise<OperationsResponse> {
    const { asset = null, direction = null, status = null, limit, cursor } = query;
    const filters = { asset, direction, status, delay: null, kind: null, from: null, until: null };
    const page = await this.store.listing.page(filters, { limit, start: readTimeCursor(cursor) });
    const { nextCursor } = encodeCursors(page);
    return {
      operations: await this.answers.answerAll(page.rows),
      pagination: { limit, hasMore: nextCursor !== null, nextCursor },
    };
  }

  private async respond(
    operations: readonly Operation[],
    position: { readonly limit: number; readonly offset: number },
    { hasMore = false, nextCursor = null }: { readonly hasMore?: boolean; readonly nextCursor?: Hex | null } = {},
  ): Promise<HistoryResponse> {
    return {
      operations: await this.answers.answerAll(operations),
      pagination: { ...position, hasMore, nextCursor },
    };
  }

  private async inOrder(ids: readonly Hex[]): Promise<Operation[]> {
    return (await Promise.all(ids.map((id) => this.reads.byId(id)))).filter((operation) => operation !== null);
  }

  private async byId(query: StatusQuery, ofTransaction: readonly Operation[]): Promise<Operation | undefined> {
    let found: Operation | undefined;
    for (const field of ['depositId', 'withdrawId', 'intentId'] as const) {
      const id: Hex | undefined = query[field];
      if (id === undefined) continue;
      const operation = await this.reads.byId(id);
      if (operation === null || !isOfField(operation, field)) continue;
      const contradicts = found !== undefined && found.id !== operation.id;
      const otherTransaction = ofTransaction.length > 0 && !ofTransaction.some((other) => other.id === operation.id);
      if (contradicts || otherTransaction) {
        throw new BridgeError('VALIDATION_ERROR', `${field} names a different operation than the other identifiers`, {
          field,
        });
      }
      found = operation;
    }
    return found;
  }
}

/** A terminal record does not change again (specification, States and transitions). */
const UNCHANGING = 'public, max-age=3600';

@Controller('api/v1/bridge')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  /** `GET /bridge/status` (specification). */
  @Get('status')
  async status(
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BridgeOperationResponse> {
    const operation = await this.operations.status(parseRequest(statusQuerySchema, query));
    void reply.header('cache-control', isTerminal(operation.status) ? UNCHANGING : 'no-store');
    return operation;
  }

  /** `GET /bridge/history` (specification). */
  @Get('history')
  @Header('Cache-Control', 'no-store')
  async history(@Query() query: unknown): Promise<HistoryResponse> {
    return this.operations.history(parseRequest(historyQuerySchema, query));
  }

  /** `GET /bridge/operations`. */
  @Get('operations')
  @Header('Cache-Control', 'no-store')
  async list(@Query() query: unknown): Promise<OperationsResponse> {
    return this.operations.list(parseRequest(operationsQuerySchema, query));
  }
}

/**
 * Describes why no operation is found. Clients show it, and stop polling when waiting cannot help.
 *
 * @param verdict about the query's transaction; null when it names none or a known one.
 * @param begun number of operations that begin in it; the query's index is beyond them.
 */
function whyNotFound(verdict: Verdict | null, begun: number): string {
  if (begun > 0) return `index is too high; the operations of this transaction have the indexes 0 to ${begun - 1}`;
  if (verdict === null) {
    return 'No operation has this id. To find a transaction of the last seconds, use originTxHash';
  }
  const subject = verdict.operationIds.length > 0 ? 'No operation begins in this transaction. ' : '';
  return `${subject}${verdict.message} ${verdict.nextStep}`;
}

function unknownCursor(cause: UnknownCursorError): BridgeError {
  const message = 'cursor does not belong to this list; begin with the first page';
  return new BridgeError('VALIDATION_ERROR', message, { field: 'cursor', cause });
}

/** Deposits have a depositId; burns and intents have a withdrawId; intents also have an intentId. */
function isOfField({ kind }: Operation, field: 'depositId' | 'withdrawId' | 'intentId'): boolean {
  if (field === 'depositId') return kind === 'DEPOSIT';
  return field === 'intentId' ? kind === 'INTENT' : kind !== 'DEPOSIT' && kind !== 'TRANSFER';
}
