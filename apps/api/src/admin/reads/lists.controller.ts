import { BridgeError, formatAmount } from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import {
  adminIdParametersSchema,
  adminIntentsQuerySchema,
  adminRefundsQuerySchema,
  type AdminIntentsResponse,
  type AdminRefund,
  type AdminRefundResponse,
  type AdminRefundsResponse,
} from '@causeway/protocol/admin';
import type { ListedRefund, Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Param, Query } from '@nestjs/common';
import { STORE } from '../../infrastructure.js';
import { Access } from '../access/access.js';
import { toAttesterAnswers } from './attester-answers.js';
import { encodeCursors, readTimeCursor } from '../../operations/cursor.js';
import { toOperationRow } from './operation-row.js';

/** Lists of intents and refunds, which have more fields than rows of operations. */
@Controller('api/v1/admin')
export class AdminListsController {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'listing' | 'refundListing' | 'intents' | 'attestable'>,
  ) {}

  /** `GET /intents`: one page, newest first. */
  @Get('intents')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async intents(@Query() query: unknown): Promise<AdminIntentsResponse> {
    const { status = null, limit, cursor } = parseRequest(adminIntentsQuerySchema, query);
    const filters = {
      status,
      kind: 'INTENT',
      delay: null,
      asset: null,
      direction: null,
      from: null,
      until: null,
    } as const;
    const page = await this.store.listing.page(filters, { limit, start: readTimeCursor(cursor) });
    const intents = await this.store.intents.findAll(page.rows.map(({ id }) => id));
    return {
      intents: page.rows.flatMap((operation) => {
        const intent = intents.get(operation.id);
        if (intent === undefined) return [];
        const { expiresAt, deadlineSeconds, proposedOriginTxHash } = intent;
        const deadline = new Date(Number(deadlineSeconds) * 1_000).toISOString();
        return [{ ...toOperationRow(operation), expiresAt: expiresAt.toISOString(), deadline, proposedOriginTxHash }];
      }),
      ...encodeCursors(page),
    };
  }

  /** `GET /refunds`: one page, newest first. */
  @Get('refunds')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async refunds(@Query() query: unknown): Promise<AdminRefundsResponse> {
    const { status = null, limit, cursor } = parseRequest(adminRefundsQuerySchema, query);
    const page = await this.store.refundListing.page(status, { limit, start: readTimeCursor(cursor) });
    return { refunds: page.rows.map((refund) => this.toResponse(refund)), ...encodeCursors(page) };
  }

  /** `GET /refunds/{id}`: one refund. */
  @Get('refunds/:id')
  @Header('Cache-Control', 'no-store')
  @Access('viewer')
  async refund(@Param() parameters: unknown, @Query() query: unknown): Promise<AdminRefundResponse> {
    const { id } = parseRequest(adminIdParametersSchema, { ...(query as object), ...(parameters as object) });
    const [refund, answers] = await Promise.all([
      this.store.refundListing.find(id),
      this.store.attestable.findAnswers(id),
    ]);
    if (refund === null) throw new BridgeError('NOT_FOUND', 'No refund has this id');
    return { ...this.toResponse(refund), attesters: toAttesterAnswers(answers) };
  }

  private toResponse(refund: ListedRefund): AdminRefund {
    const { id, operationId, chainId, asset, status, payer, wallet, amount, recipient, payment, txHash } = refund;
    return {
      id,
      operationId,
      chainId,
      asset,
      status,
      failureReason: refund.failureReason,
      payer,
      wallet,
      amount: amount.toString(),
      amountFormatted: formatAmount(asset, amount),
      recipient,
      paidAmount: payment?.paidAmount.toString() ?? null,
      gasFee: payment?.gasFee.toString() ?? null,
      txHash,
      createdAt: refund.createdAt.toISOString(),
      settledAt: refund.settledAt?.toISOString() ?? null,
      decisions: refund.decisions.map(({ at, ...decision }) => ({ ...decision, at: at.toISOString() })),
      maybePaidBy: [...refund.maybePaidBy],
    };
  }
}
