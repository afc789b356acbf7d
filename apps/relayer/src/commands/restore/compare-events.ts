import {
  decodeBridgeEvent,
  isWithdrawal,
  readLogs,
  watchedEvents,
  type AgreedLog,
  type EventContext,
} from '@causeway/chain';
import type { Asset, BridgeEvent } from '@causeway/protocol';
import type { Fence, Store, StoredEvent, StoredTerms } from '@causeway/store';
import type { BridgeChain } from '../../bridge-chain.js';
import { feePoliciesAt } from '../../stages/observe.js';

export interface Comparing {
  readonly store: Pick<Store, 'comparison'>;
  readonly chain: BridgeChain;
  readonly context: EventContext;
}

/** The result of a comparison. */
export interface EventFindings {
  /** Events that were missing or different, and are stored as on the chain. */
  readonly restored: number;
  /** Rows that no event proves, as sentences for operators. */
  readonly listed: readonly string[];
}

/**
 * Compares the events of a chain's bridge contract with the database, range by range. Missing and different events are
 * stored as on the chain. The terms of an operation are fixed: different ones are listed, and are never delivered. So
 * are events that only the database has, and completed operations without a delivery.
 *
 * @param to newest block, which was read.
 * @throws QuorumError
 */
export async function compareEvents(
  { store, chain, context }: Comparing,
  fence: Fence,
  to: bigint,
  onBlocks: (done: number, total: number) => void,
): Promise<EventFindings> {
  const { chainId, connection, bridge, deployedAtBlock: from } = chain;
  const topics = [...watchedEvents(chain.side).keys()];
  const listed: string[] = [];
  let restored = 0;
  for await (const range of readLogs(connection, { contracts: [bridge], topics, from, to })) {
    const stored = await store.comparison.events(chainId, range.from, range.to);
    const keys = new Map(stored.map((event) => [toKey(event), event]));
    const decoded = await decode(chain, context, range.logs);
    const opened = decoded.flatMap(({ event }) => event.opens?.id ?? []);
    const terms = new Map((await store.comparison.terms(opened)).map((each) => [each.id, each]));
    const isLost = ({ event }: DecodedEvent) =>
      !isEqual(keys.get(toKey(event)), event) || (event.opens !== undefined && !terms.has(event.opens.id));
    const lost = decoded.filter(isLost);
    for (const blockNumber of new Set(lost.map((each) => each.blockNumber))) {
      const block = await connection.agreedBlock(blockNumber);
      if (block === null) throw new Error(`The nodes of ${connection.name} do not have the final block ${blockNumber}`);
      const events = lost.flatMap((each) => (each.blockNumber === blockNumber ? [each.event] : []));
      const timestamp = new Date(Number(block.timestampSeconds) * 1_000);
      const { number, hash } = block;
      if (
        await store.comparison.restoreEvents(fence, chainId, {
          number,
          hash,
          timestamp,
          events,
          transfers: [],
          dust: [],
        })
      )
        restored += events.length;
    }
    const real = new Set(decoded.map(({ event }) => toKey(event)));
    for (const event of stored) if (!real.has(toKey(event))) listed.push(describeInvented(event));
    for (const { event } of decoded) {
      const { opens } = event;
      const known = opens === undefined ? undefined : terms.get(opens.id);
      if (opens === undefined || known === undefined) continue;
      const wrong = TERMS.filter((field) => known[field] !== opens[field]);
      if (wrong.length > 0) listed.push(describe(event, wrong, known));
    }
    onBlocks(Number(range.to - from) + 1, Number(to - from) + 1);
  }
  for (const id of await store.comparison.undelivered(chainId, to))
    listed.push(`The operation ${id} is COMPLETED in the database, but no event delivers it. Find out who changed it.`);
  return { restored, listed };
}

const TERMS = ['asset', 'amount', 'fee', 'outputAmount', 'sender', 'recipient'] as const;

interface DecodedEvent {
  readonly event: BridgeEvent;
  readonly blockNumber: bigint;
}

/** Decodes logs. The fee rate of a withdrawal is in force before its block; the rest follows from the log. */
async function decode(chain: BridgeChain, context: EventContext, logs: readonly AgreedLog[]): Promise<DecodedEvent[]> {
  const first = chain.side === 'partner' ? logs.find(isWithdrawal) : undefined;
  const policies = first === undefined ? null : await feePoliciesAt(chain, context.book, first.blockNumber - 1n);
  const rates = new Map(Object.entries(policies ?? {}).map(([asset, { bps }]): [Asset, number] => [asset, bps]));
  return logs.flatMap((log) => {
    const event = decodeBridgeEvent(log, context, rates);
    return event === null ? [] : [{ event, blockNumber: log.blockNumber }];
  });
}

function isEqual(stored: StoredEvent | undefined, { name, operationId, args }: BridgeEvent): boolean {
  if (stored?.name !== name || stored.operationId !== operationId) return false;
  const fields = Object.entries(args);
  return (
    fields.length === Object.keys(stored.args).length && fields.every(([field, value]) => stored.args[field] === value)
  );
}

function toKey({ txHash, logIndex }: Pick<StoredEvent, 'txHash' | 'logIndex'>): string {
  return `${txHash} ${logIndex}`;
}

function describeInvented({ name, operationId, txHash }: StoredEvent): string {
  return (
    `The ${name} ${operationId} in ${txHash} is in the database, but not on the chain. Find out who wrote it, delete ` +
    'the row, and run this again.'
  );
}

function describe(event: BridgeEvent, wrong: readonly (typeof TERMS)[number][], known: StoredTerms): string {
  const fields = wrong.map((field) => `${field} ${known[field]} instead of ${event.opens?.[field]}`).join(', ');
  return (
    `The ${event.name} ${event.operationId} in ${event.txHash} has other terms in the database: ${fields}. It is not ` +
    'delivered. Restore the operation from a copy, or rebuild the database; find out who changed it.'
  );
}
