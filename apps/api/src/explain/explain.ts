import {
  explain,
  explainQuerySchema,
  isTerminal,
  parseRequest,
  type ExplainResponse,
  type HashFacts,
  type Verdict,
} from '@causeway/protocol';
import type { Operation, Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Injectable, Query } from '@nestjs/common';
import type { Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, STORE } from '../infrastructure.js';
import { RelayerLife } from '../relayer-life.js';
import { ChainFacts } from './chain-facts.js';

/** A verdict, and the operations that begin in the transaction of this hash, in log order, stored or not. */
export interface Explanation {
  readonly verdict: Verdict;
  readonly begun: readonly Operation[];
}

interface FoundOperations {
  readonly kind: 'operations';
  readonly role: 'id' | 'origin' | 'delivery' | 'refund';
  readonly operations: readonly [Operation, ...Operation[]];
}

/** Collects what the database and both chains show of a hash, and explains it. */
@Injectable()
export class ExplainService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly chainFacts: ChainFacts,
    private readonly relayerLife: RelayerLife,
  ) {}

  /** @throws BridgeError SERVICE_UNAVAILABLE when the database knows nothing and a chain cannot be read. */
  async explain(hash: Hex): Promise<Explanation> {
    const found = await this.find(hash);
    if (found.kind !== 'operations') return { verdict: explain(found), begun: [] };
    const { role, operations } = found;
    const [{ id, status, refundId }] = operations;
    const [intent, refund, isHalted, isRelayerAway] = await Promise.all([
      status === 'PENDING_ORIGIN_TX' ? this.store.intents.find(id) : null,
      refundId === null ? null : this.store.refunds.find(refundId),
      isTerminal(status) ? false : this.isHalted(),
      isTerminal(status) ? false : this.relayerLife.isAway(),
    ]);
    const verdict = explain({ ...found, expiresAt: intent?.expiresAt ?? null, refund, isHalted, isRelayerAway });
    return { verdict, begun: role === 'origin' ? operations : [] };
  }

  /** The database first: nodes are asked only about what it does not know. */
  private async find(hash: Hex): Promise<FoundOperations | Exclude<HashFacts, { kind: 'operations' }>> {
    const { ethereum, partner } = this.configuration.addressBook;
    const [named, begun, related] = await Promise.all([
      this.store.operations.findById(hash),
      this.store.operations.findByOriginTx(hash),
      this.store.related.find(hash, [ethereum.chainId, partner.chainId]),
    ]);
    if (named !== null) return { kind: 'operations', role: 'id', operations: [named] };
    if (isSome(begun)) return { kind: 'operations', role: 'origin', operations: begun };
    const { replacedBy, deliveredIds, refundedId, hasUnboundTransfer } = related;
    if (replacedBy !== null) return { kind: 'replaced', by: replacedBy, operationIds: deliveredIds };
    const delivered = await this.inOrder(deliveredIds);
    if (isSome(delivered)) return { kind: 'operations', role: 'delivery', operations: delivered };
    const refunded = refundedId === null ? null : await this.store.operations.findById(refundedId);
    if (refunded !== null) return { kind: 'operations', role: 'refund', operations: [refunded] };
    const { operations, transaction } = await this.chainFacts.find(hash);
    if (isSome(operations)) return { kind: 'operations', role: 'origin', operations };
    // Also a payment inside a transaction to another contract, which the relayer finds by the balance of its wallet.
    if (hasUnboundTransfer) return { kind: 'transfer', refund: null };
    return transaction === null ? { kind: 'unknown' } : { kind: 'transaction', transaction };
  }

  private async isHalted(): Promise<boolean> {
    const [chains, deliveries] = await Promise.all([this.store.halts.list(), this.store.halts.deliveries()]);
    return chains.length > 0 || deliveries !== null;
  }

  private async inOrder(ids: readonly Hex[]): Promise<Operation[]> {
    const operations = await this.store.operations.findByIds(ids);
    return ids.flatMap((wanted) => operations.find(({ id }) => id === wanted) ?? []);
  }
}

@Controller('api/v1/bridge/explain')
export class ExplainController {
  constructor(private readonly service: ExplainService) {}

  /** `GET /bridge/explain`: 200 with a verdict about any hash. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async explain(@Query() query: unknown): Promise<ExplainResponse> {
    const { hash } = parseRequest(explainQuerySchema, query);
    const { verdict } = await this.service.explain(hash);
    const { code, message, nextStep, operationIds, until, replacedBy, stalledReason } = verdict;
    return {
      hash,
      code,
      message,
      nextStep,
      operationIds: [...operationIds],
      until: until?.toISOString() ?? null,
      replacedBy,
      stalledReason,
    };
  }
}

function isSome<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0;
}
