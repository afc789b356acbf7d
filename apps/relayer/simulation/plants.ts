import type { Schedule } from './environment/schedule.ts';

/** A change of a source file. */
export interface Change {
  /** Its path in the repository. */
  readonly file: string;
  /** Text that must occur exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

const store = (path: string) => `packages/store/src/${path}.ts`;

/** A bug, and a short schedule that shows it. */
export interface Plant {
  readonly changes: readonly Change[];
  readonly schedule: Schedule;
}

/** Bugs that can be planted, to check that the simulation finds them. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  'broadcast before journal': {
    changes: [
      {
        file: 'packages/chain/src/wallet/lane.ts',
        from: 'const recorded = await journal.record(signed);',
        to: 'await this.broadcast(journal, signed); const recorded = await journal.record(signed);',
      },
    ],
    schedule: {
      seed: 0,
      happenings: [
        { atMs: 30763, kind: 'mistake', side: 'ethereum', asset: 'ETH', user: 0, way: 'plain', size: 'dust' },
      ],
    },
  },
  'cursor outside the transaction': {
    changes: [
      {
        file: 'apps/relayer/src/stages/observe.ts',
        from: 'await store.scan.extend(fence, chainId, chunk, head, from);',
        to: `await store.scan.extend(fence, chainId, chunk.map((block) => ({ ...block, events: [], transfers: [] })), head, from);
          await store.scan.fill(fence, chainId, chunk);`,
      },
      {
        file: store('scan/scan-repository'),
        from: 'async confirmHead(',
        to: `async fill(fence, chainId, blocks) {
          await fencedTransaction(this.prisma, fence, async (tx) => {
            await tx.chainBlock.deleteMany({ where: { chainId, number: { in: blocks.map(({ number }) => number) } } });
            await storeBlocks(tx, chainId, blocks);
          });
        }
        async confirmHead(`,
      },
    ],
    schedule: {
      seed: 9,
      happenings: [
        { atMs: 45966, kind: 'mistake', side: 'partner', asset: 'XCN', user: 0, way: 'plain', size: 'dust' },
      ],
    },
  },
  'no fencing check': {
    changes: [
      {
        file: store('locks/lease'),
        from: 'if (held.length === 0) throw new FenceLostError(fence);',
        to: '',
      },
    ],
    schedule: { seed: 511, happenings: [{ atMs: 30448, kind: 'freeze', relayer: 0, forMs: 22426 }] },
  },
  'hold restarted by a restart': {
    changes: [
      {
        file: 'apps/relayer/src/stages/hold.ts',
        from: 'let hasWritten = false;',
        to: 'if (!this.hasBegun) { this.hasBegun = true; await this.store.operations.restartHolds(fence); } let hasWritten = false;',
      },
      {
        file: store('operations/operation-repository'),
        from: 'async releaseHolds(',
        to: `async restartHolds() {
          await this.prisma.$executeRaw\`UPDATE operation SET hold_until = now() + interval '10 seconds'
            WHERE status = 'AWAITING_RELAY' AND hold_until IS NOT NULL AND hold_released_at IS NULL\`;
        }
        async releaseHolds(`,
      },
    ],
    schedule: {
      seed: 365,
      happenings: [
        { atMs: 8028.9, kind: 'short float', forMs: 59983 },
        { atMs: 11862, kind: 'intent', user: 2, payment: 'twice', way: 'plain', isBound: false, isNamed: false },
        { atMs: 12748, kind: 'strange bind' },
        { atMs: 18705, kind: 'clock jump', relayer: 0, byMs: -3478, forMs: 26132 },
        { atMs: 20912, kind: 'database fault', forMs: 19588 },
        {
          atMs: 31919,
          kind: 'intent',
          user: 0,
          payment: 'wrong amount',
          way: 'account',
          isBound: true,
          isNamed: false,
        },
        { atMs: 55754, kind: 'crash', relayer: 0, afterEvents: 69, forMs: 22269 },
      ],
    },
  },
  'reorg ignored': {
    changes: [
      {
        file: store('scan/reorg'),
        from: 'await tx.chainEvent.deleteMany({ where: later });',
        to: '',
      },
    ],
    schedule: {
      seed: 17,
      happenings: [
        { atMs: 10403, kind: 'deposit', user: 1, asset: 'ETH' },
        { atMs: 33917, kind: 'reorg', side: 'ethereum', depth: 2, isLossy: false },
      ],
    },
  },
  'quorum asked of one node twice': {
    changes: [
      {
        file: 'packages/chain/src/nodes/quorum.ts',
        from: 'const answer = await read(node.client);',
        to: 'const answer = await read(nodes[0].client);',
      },
    ],
    schedule: {
      seed: 106,
      happenings: [
        { atMs: 9592, kind: 'mirror fault', mirror: 0, fault: 'names another payer', forMs: 14208 },
        { atMs: 30781, kind: 'deposit', user: 2, asset: 'XCN' },
        { atMs: 31469, kind: 'node fault', side: 'ethereum', node: 0, fault: 'other balance', forMs: 60_000 },
      ],
    },
  },
  'gap not healed': {
    changes: [
      {
        file: 'packages/chain/src/wallet/follow-decision.ts',
        from: 'for (let nonce = chainNonce; nonce < nextNonce; nonce++)',
        to: 'for (let nonce = nextNonce; nonce < nextNonce; nonce++)',
      },
    ],
    schedule: {
      seed: 107,
      happenings: [
        { atMs: 19036, kind: 'intent', user: 2, payment: 'right', way: 'plain', isBound: true, isNamed: false },
        { atMs: 107435, kind: 'foreign nonce', side: 'ethereum', isUndone: true },
      ],
    },
  },
  'value in flight not reserved': {
    changes: [
      {
        file: 'packages/chain/src/wallet/books.ts',
        from: 'available: balance - value - fees',
        to: 'available: balance',
      },
    ],
    schedule: { seed: 67, happenings: [{ atMs: 13826.4, kind: 'short float', forMs: 54496 }] },
  },
  "stranger's bind wins": {
    changes: [
      {
        file: store('intents/payment-window'),
        from: 'o.sender = t.payer',
        to: '(o.sender = t.payer OR i.proposed_origin_tx_hash = t.tx_hash)',
      },
      {
        file: store('intents/bind-transfer'),
        from: 'operation.sender === transfer.payer &&',
        to: '(operation.sender === transfer.payer || intent.proposedOriginTxHash === transfer.txHash) &&',
      },
    ],
    schedule: {
      seed: 13,
      happenings: [
        { atMs: 365, kind: 'intent', user: 0, payment: 'twins', way: 'forwarded', isBound: true, isNamed: false },
      ],
    },
  },
  'paid refund approved again': {
    changes: [
      {
        file: store('transactions/journal-repository'),
        from: "if (outcome.state !== 'SUCCEEDED') return freeRefund",
        to: 'return freeRefund',
      },
    ],
    schedule: {
      seed: 0,
      happenings: [
        { atMs: 5000, kind: 'mistake', side: 'ethereum', asset: 'ETH', user: 0, way: 'plain', size: 'usual' },
      ],
    },
  },
  'expiry written before the last block in time is read': {
    changes: [
      {
        file: 'apps/relayer/src/stages/bind.ts',
        from: 'const final = await this.newestAccounted();',
        to: 'const read = await this.newestAccounted(); const final = read && { ...read, timestamp: new Date() };',
      },
    ],
    schedule: {
      seed: 20,
      happenings: [
        { atMs: 20790, kind: 'intent', user: 1, payment: 'right', way: 'bundle', isBound: true, isNamed: false },
      ],
    },
  },
  'opening ignored': {
    changes: [
      {
        file: store('operations/reopening'),
        from: 'SELECT 1 FROM reopened_id r WHERE',
        to: 'SELECT 1 FROM reopened_id r WHERE false AND',
      },
    ],
    schedule: { seed: 31, happenings: [{ atMs: 5000, kind: 'used-up number', side: 'partner', isWide: false }] },
  },
};
