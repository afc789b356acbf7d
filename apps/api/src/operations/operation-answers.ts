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

/** Converts stored operations to responses, adding present facts that their rows lack. */
@Injectable()
export class OperationAnswers {
  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly payableWallets: PayableWallets,
    private readonly relayerLife: RelayerLife,
    private readonly chainLife: ChainLife,
  ) {}

  /** Converts operations, keeping their order. Rejects when the database fails, unless all of them have ended. */
  async answerAll(operations: readonly Operation[]): Promise<BridgeOperationResponse[]> {
    const isAnyOpen = operations.some(({ status }) => !isTerminal(status));
    const isRelayerAway = isAnyOpen && (await this.relayerLife.isAway());
    const isChainStill = isAnyOpen && (await this.chainLife.standsStill());
    const payables = await this.payableWallets.find(operations);
    const moment = { timing: this.configuration.timing, nowMs: Date.now(), isRelayerAway, isChainStill };
    return operations.map((operation) => toOperationResponse(operation, moment, payables.get(operation.id)));
  }

  /** Converts one operation, with the ids of the other operations of its transaction. */
  async answer(operation: Operation, otherOperationIds: readonly Hex[]): Promise<BridgeOperationResponse> {
    const [response] = await this.answerAll([operation]);
    if (response === undefined) throw new Error('No response for the operation');
    return { ...response, otherOperationIds: [...otherOperationIds] };
  }
}
