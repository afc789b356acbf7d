import type { Store } from '../dist/index.js';
import { Client, type QueryResultRow } from 'pg';
import { BUSY, ETHEREUM, HEAD, NOW, PARTNER, TOKEN, WALLET } from './rows-in-sql.ts';

/** The public part of the repositories, so that both the sources' and the build's types fit. */
export type Queries = { readonly [K in keyof Store]: Pick<Store[K], keyof Store[K]> };

/** The rows that a stage reads in one run, on both chains. */
interface Turn {
  readonly stage: string;
  readonly run: (store: Queries) => Promise<unknown>;
}

type Final = { readonly chainId: number; readonly number: bigint };

const CHAINS = [ETHEREUM, PARTNER];
const DAY_MS = 86_400_000;
const wallet = { chainId: PARTNER, address: WALLET };
const onEach = (work: (chainId: number) => Promise<unknown>) => Promise.all(CHAINS.map(work));

const ANY = { status: null, delay: null, asset: null, direction: null, kind: null, from: null, until: null };
/** Filters of searches. The last ones are rare. */
const LISTED = [
  {},
  { status: 'COMPLETED' },
  { asset: 'XCN', direction: 'PARTNER_TO_ETHEREUM' },
  { kind: 'BURN', asset: 'ETH' },
  { asset: 'XCN', status: 'FAILED' },
  { delay: 'PAUSED', asset: 'USDC' },
] as const;

/** The run of every stage, and other queries whose cost must not grow with the table. */
export const TURNS: readonly Turn[] = [
  {
    stage: 'observe',
    run: async ({ halts, scan }) => {
      await halts.list();
      await onEach(async (chainId) => [await scan.cursor(chainId), await scan.block(chainId, HEAD)]);
    },
  },
  {
    stage: 'bind',
    run: async ({ intents, scan }) => {
      await intents.findUnbound(PARTNER);
      await intents.findExchanges(PARTNER);
      await scan.blockBelow(PARTNER, HEAD - 5n);
      await intents.findClosedWindows(PARTNER, NOW);
    },
  },
  {
    stage: 'finalize',
    run: async ({ operations, scan }) =>
      onEach(async (chainId) => {
        await scan.latestBlock(chainId);
        await operations.findConfirming(chainId);
      }),
  },
  {
    stage: 'attest',
    run: async ({ attestable }) => {
      const final = await attestable.findFinal(1_000);
      const accepted = await attestable.findAccepted(1_000);
      await attestable.findTransfers([...final, ...accepted].map(({ id }) => id));
    },
  },
  { stage: 'hold', run: async ({ operations }) => onEach((chainId) => operations.findHoldsOver(chainId, NOW, false)) },
  {
    stage: 'deliver',
    run: async ({ operations, journal, verdicts }) =>
      onEach(async (chainId) => {
        const due = await operations.findDue(chainId, HEAD - 6n, NOW, 50);
        const ids = due.map(({ id }) => id);
        await verdicts.deliveriesFor(chainId, ids);
        const of = { chainId, address: WALLET };
        await journal.inFlight(of, (await journal.nextNonce(of)) - 50n);
      }),
  },
  {
    stage: 'settle',
    run: async ({ operations }) => onEach((chainId) => operations.findFinalDeliveries(chainId, HEAD - 6n, null, 500)),
  },
  {
    stage: 'follow',
    run: async ({ journal, operations }) =>
      onEach(async (chainId) => {
        const of = { chainId, address: WALLET };
        for (const { operationIds } of await journal.pending(of)) await operations.findByIds(operationIds);
        await journal.pendingOfFormer(of);
        await journal.nextNonce(of);
        await journal.feesPaidSince(of, new Date(NOW.getTime() - DAY_MS));
      }),
  },
  {
    stage: 'retire',
    run: async ({ retirements }) => {
      for (const asset of ['ETH', 'USDC'] as const) {
        await retirements.findWaiting(PARTNER, asset);
        await retirements.unretiredAmount(PARTNER, asset, HEAD);
      }
    },
  },
  {
    stage: 'sweep',
    run: async ({ sweeps }) => {
      await sweeps.findUnswept(wallet, []);
    },
  },
  {
    stage: 'refund',
    run: async ({ refunds, sweeps }) => {
      await onEach((chainId) => refunds.findUnmatched(chainId, HEAD - 6n));
      await refunds.findApproved();
      await refunds.findRejected();
      await refunds.findPaid(PARTNER, HEAD - 6n);
      await sweeps.keptBack(wallet);
    },
  },
  {
    stage: 'watch',
    run: async ({ verdicts, xcnTotals }) => {
      await onEach(async (chainId) => [
        await verdicts.unjudged(chainId, 100),
        await verdicts.unjudgedOpenings(chainId, 100),
      ]);
      await verdicts.unknown();
      const [ethereum, partner] = CHAINS.map((chainId) => ({ chainId, number: HEAD - 12n })) as [Final, Final];
      await xcnTotals.at({ ethereum, partner }, TOKEN);
    },
  },
  {
    stage: 'account',
    run: async ({ audits }) => {
      await audits.last(wallet);
      await audits.received(wallet, 'XCN', HEAD - 2n, HEAD);
      await audits.unexplained();
    },
  },
  {
    stage: 'request',
    run: async ({ requests }) => {
      await requests.findQueued();
      await requests.findOverdue(NOW);
    },
  },
  {
    stage: 'notify',
    run: async ({ notifications }) => notifications.findPending({ name: 'mail', isForCriticalOnly: false }, NOW),
  },
  {
    stage: 'metrics',
    run: async ({ queues }) => {
      await queues.depths();
      await queues.transactions();
      await queues.owed();
    },
  },
  {
    stage: 'audit log',
    run: async ({ adminAudit, requests }) => {
      const filter = { actor: null, action: null, subject: null };
      await adminAudit.page(filter, { limit: 50, start: null });
      await adminAudit.page({ ...filter, actor: WALLET }, { limit: 50, start: null });
      await adminAudit.page({ ...filter, action: 'sign-in' }, { limit: 50, start: null });
      await requests.page(null, { limit: 50, start: null });
    },
  },
  {
    stage: 'api',
    run: async ({ operations, intents, related, queues }) => {
      const id = `0x${'0'.repeat(64)}` as const;
      await operations.findById(id);
      await operations.findByOriginTx(id);
      await operations.findByOriginTxs([id]);
      await operations.findByIdOrOriginTx(id);
      await intents.findTransfers(PARTNER, id);
      await related.find(id, CHAINS);
      await related.delays(id);
      const payer = `0x${'e'.repeat(40)}` as const;
      const place = { memo: null, blockNumber: HEAD, minedAt: NOW };
      await intents.findPaidBy({ chainId: PARTNER, txHash: id, payer, amount: 777n, ...place });
      await queues.owed();
    },
  },
  {
    stage: 'history',
    run: async ({ history, operations }) => {
      const page = { address: BUSY, direction: null, limit: 100, offset: 0 };
      const { operations: first, nextCursor } = await history.page(page);
      await history.page({ ...page, direction: 'PARTNER_TO_ETHEREUM', offset: 10_000 });
      await history.page({ ...page, cursor: nextCursor });
      await operations.findByIds(first.map(({ id }) => id));
    },
  },
  {
    // This address has no failed operation and sends none: the longest possible search.
    stage: 'filters',
    run: async ({ history }) => {
      const page = { address: BUSY, direction: null, limit: 100, offset: 0 };
      await history.page({ ...page, role: 'sender', statuses: ['FAILED'] });
    },
  },
  {
    // More operations have changed than the query scans.
    stage: 'changes',
    run: async ({ changes }) => {
      const id = `0x${'0'.repeat(64)}` as const;
      await changes.ofId(id);
      await changes.ofOriginTx(id);
      await changes.since(0n, { ids: [id], originTxHashes: [id], addresses: [BUSY] }, 500);
    },
  },
  {
    stage: 'list',
    run: async ({ listing }) => {
      for (const filters of LISTED) {
        const { next } = await listing.page({ ...ANY, ...filters }, { limit: 50, start: null });
        if (next !== null) await listing.page({ ...ANY, ...filters }, { limit: 50, start: next });
      }
    },
  },
  {
    stage: 'search',
    run: async ({ listing }) => {
      await listing.ofHash(`0x${'0'.repeat(64)}`, ANY, { limit: 50, start: null });
      await listing.ofAddress(BUSY, ANY, { limit: 50, start: null });
      await listing.ofAddress(WALLET, { ...ANY, status: 'FAILED' }, { limit: 50, start: null });
    },
  },
  {
    stage: 'overview',
    run: async ({ overview, refundListing, calls }) => {
      await overview.open();
      await overview.completedSince(new Date(NOW.getTime() - DAY_MS));
      await overview.chains();
      await refundListing.countWaiting();
      await refundListing.page(null, { limit: 50, start: null });
      await calls.ofOperation(`0x${'0'.repeat(64)}`, `0x${'1'.repeat(64)}`);
      await calls.countPending(PARTNER, WALLET);
    },
  },
  {
    stage: 'unmatched',
    run: async ({ reconcile }) => {
      await reconcile.deliveriesWithoutOperation();
      await reconcile.beginningsWithoutOperation();
      await reconcile.transfersWithoutIntent();
    },
  },
];

/** A distinct statement of a run, with the values of its last execution. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly executions: number;
}

/** A node of a plan, as EXPLAIN (FORMAT JSON) prints it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The plan of a distinct statement, with the total database milliseconds and blocks of all its executions. */
interface Plan {
  readonly text: string;
  readonly ms: number;
  readonly blocks: number;
  /** Every access to a table, such as "Index Scan operation_due". */
  readonly scans: readonly string[];
  readonly sequential: readonly string[];
}

/** Executes a run, and returns its distinct statements. */
async function collectStatements(turn: Turn, store: Queries): Promise<Statement[]> {
  const sent = new Map<string, Statement>();
  const original = Reflect.get(Client.prototype, 'query') as (...args: unknown[]) => unknown;
  const record = (config: string | { text?: string; values?: unknown[] }, given: unknown) => {
    const text = typeof config === 'string' ? config : (config.text ?? '');
    const values = typeof config === 'string' ? given : (config.values ?? given);
    if (!/^\s*(SELECT|WITH)/i.test(text)) return;
    const executions = (sent.get(text)?.executions ?? 0) + 1;
    sent.set(text, { text, values: Array.isArray(values) ? values : [], executions });
  };
  Reflect.set(Client.prototype, 'query', function (this: Client, ...args: Parameters<typeof record>) {
    record(...args);
    return original.apply(this, args);
  });
  try {
    await turn.run(store);
  } finally {
    Reflect.set(Client.prototype, 'query', original);
  }
  return [...sent.values()];
}

/** Explains every statement of a run, with its values. */
export async function explainTurn(turn: Turn, store: Queries, sql: Client): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const { text, values, executions } of await collectStatements(turn, store)) {
    const { rows } = await sql.query<QueryResultRow & { 'QUERY PLAN': [ExplainedPlan] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      [...values],
    );
    const explained = rows[0]?.['QUERY PLAN'][0];
    if (explained === undefined) throw new Error(`No plan of: ${text}`);
    const nodes = listNodes(explained.Plan);
    plans.push({
      text: text.replace(/\s+/g, ' ').trim(),
      ms: executions * explained['Execution Time'],
      blocks: executions * ((explained.Plan['Shared Hit Blocks'] ?? 0) + (explained.Plan['Shared Read Blocks'] ?? 0)),
      scans: nodes
        .filter((node) => node['Relation Name'] !== undefined || node['Node Type'] === 'Bitmap Index Scan')
        .map((node) => `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`),
      sequential: nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? ''),
    });
  }
  return plans;
}

/** The result of EXPLAIN (FORMAT JSON). */
interface ExplainedPlan {
  readonly Plan: PlanNode;
  readonly 'Execution Time': number;
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}
