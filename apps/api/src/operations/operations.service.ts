import { BridgeError, type BridgeOperationResponse, type StatusQuery } from '@causeway/protocol';
import type { Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import type { Configuration } from '../config/configuration.js';
import { CONFIGURATION, STORE } from '../infra/injection-tokens.js';
import { toOperationResponse } from './to-operation-response.js';

/** Finds one operation by any of its identifiers. */
@Injectable()
export class OperationsService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /**
   * All identifiers given must name one operation. One that names nothing yet does not count against those that do: the
   * relayer may not have seen its event.
   *
   * @throws BridgeError OPERATION_NOT_FOUND, VALIDATION_ERROR
   */
  async status(query: StatusQuery): Promise<BridgeOperationResponse> {
    const ofTransaction =
      query.originTxHash === undefined ? [] : await this.store.operations.findByOriginTx(query.originTxHash);
    const byId = await this.byId(query, ofTransaction);
    const operation = byId ?? ofTransaction[query.index ?? 0];
    if (operation === undefined) {
      throw new BridgeError('OPERATION_NOT_FOUND', 'No operation with this identifier was seen yet; keep polling');
    }
    const others = ofTransaction.filter(({ id }) => id !== operation.id).map(({ id }) => id);
    return toOperationResponse(operation, this.configuration.timing, Date.now(), others);
  }

  private async byId(query: StatusQuery, ofTransaction: readonly Operation[]): Promise<Operation | undefined> {
    let found: Operation | undefined;
    for (const field of ['depositId', 'withdrawId', 'intentId'] as const) {
      const id: Hex | undefined = query[field];
      if (id === undefined) continue;
      const operation = await this.store.operations.findById(id);
      if (operation === null || !isOfField(operation, field)) continue;
      const contradicts = found !== undefined && found.id !== operation.id;
      const otherTransaction = ofTransaction.length > 0 && !ofTransaction.some((other) => other.id === operation.id);
      if (contradicts || otherTransaction) {
        throw new BridgeError('VALIDATION_ERROR', `${field} names another operation than the other identifiers`, {
          field,
        });
      }
      found = operation;
    }
    return found;
  }
}

/** Deposits have a depositId; burns and intents a withdrawId; intents an intentId besides. */
function isOfField({ kind }: Operation, field: 'depositId' | 'withdrawId' | 'intentId'): boolean {
  if (field === 'depositId') return kind === 'DEPOSIT';
  return field === 'intentId' ? kind === 'INTENT' : kind !== 'DEPOSIT';
}
