import { BridgeError, formatAmount, type RefundResponse } from '@causeway/protocol';
import { parseRequest, refundParametersSchema } from '@causeway/protocol/rest';
import type { Refund, Store } from '@causeway/store';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { STORE } from './infrastructure.js';

@Controller('api/v1/bridge/refunds')
export class RefundsController {
  constructor(@Inject(STORE) private readonly store: Pick<Store, 'refunds'>) {}

  /** `GET /bridge/refunds/{id}`: the id is the refundId of a failed operation. */
  @Get(':id')
  async refund(@Param() parameters: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<RefundResponse> {
    const refund = await this.store.refunds.find(parseRequest(refundParametersSchema, parameters).id);
    if (refund === null)
      throw new BridgeError('OPERATION_NOT_FOUND', 'No refund has this id; use the refundId of an operation');
    // Operators can change their decision until the refund is paid.
    void reply.header('cache-control', refund.status === 'COMPLETED' ? 'public, max-age=3600' : 'no-store');
    return toRefundResponse(refund);
  }
}

function toRefundResponse(refund: Refund): RefundResponse {
  const { id, operationId, status, chainId, asset, payer, amount, payment, txHash, createdAt, updatedAt } = refund;
  return {
    id,
    operationId,
    status,
    chainId,
    asset,
    payer,
    amount: amount.toString(),
    amountFormatted: formatAmount(asset, amount),
    payment:
      payment === null
        ? null
        : {
            recipient: payment.recipient,
            amount: payment.paidAmount.toString(),
            amountFormatted: formatAmount(asset, payment.paidAmount),
            gasFee: payment.gasFee.toString(),
            dust: payment.dust.toString(),
            txHash,
          },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
