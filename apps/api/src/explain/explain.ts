import {
  BridgeError,
  explain,
  isTerminal,
  type ExplainResponse,
  type HashFacts,
  type Verdict,
} from '@causeway/protocol';
import { explainQuerySchema, parseRequest } from '@causeway/protocol/rest';
import type { ExecutedUserOperation } from '@causeway/chain';
import type { Operation, Store } from '@causeway/store';
import { Controller, Get, Header, Inject, Injectable, Query } from '@nestjs/common';
import type { Address, Hex } from 'viem';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, STORE } from '../infrastructure.js';
import { PayableWallets } from '../payable-wallets.js';
import { RelayerLife } from '../relayer-life.js';
import { ChainFacts } from './chain-facts.js';

/** A verdict, and the operations that begin in the hash's transaction, in log order, stored or not. */
export interface Explanation {
  readonly verdict: Verdict;
  readonly begun: readonly Operation[];
}

interface FoundOperations {
  readonly kind: 'operations';
  readonly role: 'id' | 'origin' | 'userOperation' | 'delivery' | 'refund';
  readonly operations: readonly [Operation, ...Operation[]];
}

/** Everything found about a hash. */
type Found = FoundOperations | Exclude<HashFacts, { kind: 'operations' }>;

/** The sender and nonce with which a wallet sent a transaction. */
interface SentAs {
  readonly sender: Address;
  readonly nonce: number;
}

/** Collects what the database and both chains know about a hash, and explains it. */
@Injectable()
export class ExplainService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly chainFacts: ChainFacts,
    private readonly relayerLife: RelayerLife,
    private readonly payableWallets: PayableWallets,
  ) {}

  /** @throws BridgeError SERVICE_UNAVAILABLE when the database does not know the hash and a chain cannot be read. */
  async explain(hash: Hex, sentAs: SentAs | null = null): Promise<Explanation> {
    const found = await this.withNonce(await this.find(hash), sentAs);
    if (found.kind !== 'operations') return { verdict: explain(found), begun: [] };
    const { role, operations } = found;
    const [first] = operations;
    const { id, status, refundId } = first;
    const [intent, refund, isHalted, isRelayerAway, payables] = await Promise.all([
      status === 'PENDING_ORIGIN_TX' ? this.store.intents.find(id) : null,
      refundId === null ? null : this.store.refunds.find(refundId),
      isTerminal(status) ? false : this.isHalted(),
      isTerminal(status) ? false : this.relayerLife.isAway(),
      this.payableWallets.find([first]),
    ]);
    const unpayableReason = payables.get(id)?.unpayableReason ?? null;
    const verdict = explain({
      ...found,
      expiresAt: intent?.expiresAt ?? null,
      refund,
      isHalted,
      isRelayerAway,
      unpayableReason,
    });
    return { verdict, begun: role === 'origin' || role === 'userOperation' ? operations : [] };
  }

  /** Reads the database first; nodes are queried only for unknown hashes. */
  private async find(hash: Hex): Promise<Found> {
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
    const { operations, transaction, userOperation } = await this.chainFacts.find(hash);
    if (isSome(operations)) return { kind: 'operations', role: 'origin', operations };
    const hasArrivals = transaction?.state === 'succeeded' && transaction.arrivals.length > 0;
    // Includes a payment inside a transaction to another contract, which the relayer finds by its wallet balance.
    if (hasUnboundTransfer && !hasArrivals) return { kind: 'transfer', refund: null };
    if (transaction !== null) return { kind: 'transaction', transaction };
    return userOperation === undefined ? { kind: 'unknown' } : this.ofUserOperation(userOperation);
  }

  /** The operations begun by the user operation's account, without others of the same bundle. */
  private async ofUserOperation({ txHash, account, hasSucceeded }: ExecutedUserOperation): Promise<Found> {
    const began = hasSucceeded ? await this.find(txHash) : null;
    const own = began?.kind === 'operations' ? began.operations.filter(({ sender }) => sender === account) : [];
    if (isSome(own)) return { kind: 'operations', role: 'userOperation', operations: own };
    return { kind: 'userOperation', txHash, hasSucceeded };
  }

  /** Marks an unmined transaction as replaced when its sender has used its nonce. */
  private async withNonce(found: Found, sentAs: SentAs | null): Promise<Found> {
    const isPending = found.kind === 'transaction' && found.transaction.state === 'pending';
    if (sentAs === null || (found.kind !== 'unknown' && !isPending)) return found;
    const sides = await this.chainFacts.chainsWithNonce(sentAs.sender, sentAs.nonce);
    const possible = isPending ? sides.filter((side) => side === found.transaction.side) : sides;
    return possible.length === 0 ? found : { kind: 'nonceUsed', ...sentAs, sides: possible };
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
    const { hash, sender, nonce } = parseRequest(explainQuerySchema, query);
    if ((sender === undefined) !== (nonce === undefined)) {
      const field = sender === undefined ? 'sender' : 'nonce';
      throw new BridgeError('VALIDATION_ERROR', `${field} is missing; sender and nonce must be given together`, {
        field,
      });
    }
    const sentAs = sender === undefined || nonce === undefined ? null : { sender, nonce };
    const { verdict } = await this.service.explain(hash, sentAs);
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
