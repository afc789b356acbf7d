import { isTerminal, type BridgeOperationResponse } from '@causeway/protocol';
import type { Operation } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { ChainLife } from '../chain-life.js';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { PayableWallets } from '../payable-wallets.js';
import { RelayerLife } from '../relayer-life.js';
import { toOperationResponse } from './operation-response.js';

/** Answers stored operations, with the facts of the moment that their rows do not have. */
@Injectable()
export class OperationAnswers {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly payableWallets: PayableWallets,
    private readonly relayerLife: RelayerLife,
    private readonly chainLife: ChainLife,
  ) {}

  /** Answers operations in their order. It fails as the database does, unless all of them have ended. */
  async answerAll(operations: readonly Operation[]): Promise<BridgeOperationResponse[]> {
    const isAnyOpen = operations.some(({ status }) => !isTerminal(status));
    const isRelayerAway = isAnyOpen && (await this.relayerLife.isAway());
    const isChainStill = isAnyOpen && (await this.chainLife.standsStill());
    const payables = await this.payableWallets.find(operations);
    const moment = { timing: this.configuration.timing, nowMs: Date.now(), isRelayerAway, isChainStill };
    return operations.map((operation) => toOperationResponse(operation, moment, payables.get(operation.id)));
  }

  /** Answers one operation, with the ids of the others of its transaction. */
  async answer(operation: Operation, otherOperationIds: readonly Hex[]): Promise<BridgeOperationResponse> {
    const [response] = await this.answerAll([operation]);
    if (response === undefined) throw new Error('One operation has one answer');
    return { ...response, otherOperationIds: [...otherOperationIds] };
  }
}
