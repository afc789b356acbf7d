import { explain, getErrorDocsPath, isTerminal, linkToDocs, type HashFacts, type Side } from '@causeway/protocol';
import { describeRetry, type AdminOperationResponse } from '@causeway/protocol/admin';
import { finishInTime } from '@causeway/service/http';
import type { CallRecord, Operation, Refund, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import type { Configuration } from '../../configuration.js';
import { CHAINS, CONFIGURATION, STORE, type Chains } from '../../infrastructure.js';
import { OperationAnswers } from '../../operations/operation-answers.js';
import { allowedActions } from './allowed-actions.js';
import { toAttesterAnswers } from './attester-answers.js';
import { buildTimeline } from './timeline.js';

/** Audit rows about one subject, at most. */
const MOST_AUDIT_ROWS = 200;
/** How long the response waits for nodes, in milliseconds. */
const NODE_PATIENCE_MS = 1_000;

/** Collects everything known about one operation. */
@Injectable()
export class OperationRecordService {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CHAINS) private readonly chains: Chains,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly answers: OperationAnswers,
  ) {}

  /** Returns null when no operation has the id. */
  async find(id: Hex): Promise<AdminOperationResponse | null> {
    const { store } = this;
    const operation = await store.operations.findById(id);
    if (operation === null) return null;
    const { refundId, kind, origin } = operation;
    const reason = operation.delayedReason ?? operation.failureReason;
    const [intent, refund, calls, events, delays, arrivals, audit, chains, deliveries, answers, hasOrigin] =
      await Promise.all([
        kind === 'INTENT' ? store.intents.find(id) : null,
        refundId === null ? null : store.refunds.find(refundId),
        store.calls.ofOperation(id, refundId),
        store.related.events([id]),
        store.related.delays(id),
        kind === 'INTENT' && origin !== null ? store.intents.findTransfers(operation.originChainId, origin.txHash) : [],
        this.readAudit([id, ...(refundId === null || refundId === id ? [] : [refundId])]),
        store.halts.list(),
        store.halts.deliveries(),
        store.attestable.findAnswers(id),
        isTerminal(operation.status) ? null : this.hasOrigin(operation),
      ]);
    const halted = chains.map(({ chainId }) => chainId);
    const pending = calls.find(({ state, operationIds }) => state === 'PENDING' && operationIds.includes(id)) ?? null;
    const isHalted = halted.includes(operation.originChainId) || halted.includes(operation.destinationChainId);
    const isRejected = intent !== null && intent.rejectedBy !== null;
    const paidAt = arrivals.find(({ pays }) => pays?.id === id)?.minedAt ?? null;
    const others = origin === null ? [] : await store.operations.findByOriginTx(origin.txHash);
    const otherIds = others.map((other) => other.id).filter((other) => other !== id);
    const answer = await this.answers.answer(operation, otherIds);
    const allowed = allowedActions({ operation, refund, pending, isRejected, isHalted, hasOrigin });
    return {
      operation: answer,
      kind,
      deliveredAmount: operation.settlement === null ? null : operation.outputAmount.toString(),
      timeline: buildTimeline({ operation, paidAt, calls, events, delays, refund, audit }, (chainId) =>
        this.findSide(chainId),
      ),
      calls: calls.map(toCallResponse),
      waiting: describeWaiting(operation, refund, {
        expiresAt: intent?.expiresAt ?? null,
        isHalted: halted.length > 0 || deliveries !== null,
        isRelayerAway: answer.stalledReason !== null,
        unpayableReason: answer.unpayableReason,
      }),
      allowed,
      retryEffect: allowed.includes('RETRY') ? describeRetry(operation.delayedReason) : null,
      docs: reason === null ? null : linkToDocs(getErrorDocsPath(reason), this.configuration.docsUrl),
      attesters: toAttesterAnswers(answers),
    };
  }

  private async readAudit(subjects: readonly Hex[]) {
    const page = { start: null, limit: MOST_AUDIT_ROWS };
    const pages = subjects.map(async (subject) =>
      this.store.adminAudit.page({ subject, actor: null, action: null }, page),
    );
    return (await Promise.all(pages)).flatMap(({ rows }) => rows);
  }

  private findSide(chainId: number): Side | null {
    const { ethereum, partner } = this.configuration.addressBook;
    if (chainId === ethereum.chainId) return 'ethereum';
    return chainId === partner.chainId ? 'partner' : null;
  }

  private async hasOrigin({ origin, originChainId }: Operation): Promise<boolean | null> {
    const side = this.findSide(originChainId);
    if (origin === null || side === null) return null;
    try {
      const reading = this.chains[side].agreedBlock(origin.blockNumber);
      const block = await finishInTime(reading, NODE_PATIENCE_MS, () => new Error('The nodes do not answer in time'));
      return block?.hash === origin.blockHash;
    } catch {
      // The page shows the rest. Without the nodes the origin is unknown.
      return null;
    }
  }
}

type OperationFacts = Extract<HashFacts, { kind: 'operations' }>;

/** Describes why an operation waits, and until when. A failed operation waits for its refund. Pure. */
function describeWaiting(
  operation: Operation,
  refund: Refund | null,
  facts: Pick<OperationFacts, 'expiresAt' | 'isHalted' | 'isRelayerAway' | 'unpayableReason'>,
): AdminOperationResponse['waiting'] {
  const isRefundOpen = refund !== null && refund.status !== 'COMPLETED' && refund.status !== 'REFUSED';
  if (isTerminal(operation.status) && !isRefundOpen) return null;
  const { code, message, until } = explain({
    kind: 'operations',
    role: 'id',
    operations: [operation],
    refund,
    ...facts,
  });
  const delay = operation.status === 'DELAYED' ? operation.delayedReason : null;
  const reason = isRefundOpen ? `REFUND_${refund.status}` : (delay ?? code);
  return { reason, sentence: message, until: until?.toISOString() ?? null };
}

function toCallResponse(call: CallRecord): AdminOperationResponse['calls'][number] {
  const { id, chainId, address, nonce, purpose, state, createdAt, cancelledAt, endedAt, feePaid, transactions } = call;
  return {
    id: id.toString(),
    chainId,
    sender: address,
    nonce: nonce.toString(),
    purpose,
    state,
    createdAt: createdAt.toISOString(),
    cancelledAt: cancelledAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    feePaid: feePaid?.toString() ?? null,
    attempts: transactions.map(({ hash, createdAt: signedAt, isCancellation, ...fees }) => ({
      txHash: hash,
      signedAt: signedAt.toISOString(),
      gas: fees.gas.toString(),
      maxFeePerGas: fees.maxFeePerGas.toString(),
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
      isCancellation,
      isFinal: call.txHash === hash,
    })),
  };
}
