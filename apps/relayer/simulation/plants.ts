/** A change of a module: the relayer's own, as it is built, or the store's model where the real store is SQL. */
interface Change {
  /** How the address of the module ends. */
  readonly module: string;
  /** Text that occurs once in it. */
  readonly from: string;
  readonly to: string;
}

const LANE = '/packages/chain/dist/wallet/lane.js';
const BIND = '/apps/relayer/dist/stages/bind.js';
const store = (name: string) => `/apps/relayer/simulation/store/${name}.ts`;

/** Bugs that can be planted, to see the simulation find them. */
export const PLANTS: Readonly<Record<string, readonly Change[]>> = {
  'broadcast before journal': [
    {
      module: LANE,
      from: 'const recorded = await journal.record(signed);',
      to: 'await this.broadcast(journal, signed); const recorded = await journal.record(signed);',
    },
  ],
  'cursor outside the transaction': [
    {
      module: store('chain-data'),
      from: 'storeOrigins(database, blocks);',
      to: `setTimeout(() => database.transaction(() => storeEvents(database, chainId, blocks)), 200);
}
function storeEvents(database, chainId, blocks) {
  storeOrigins(database, blocks);`,
    },
  ],
  'no fencing check': [
    {
      module: store('memory-database'),
      from: 'if (this.leases.get(fence.name)?.token !== fence.token) throw new FenceLostError(fence);',
      to: '',
    },
  ],
  'hold restarted by a restart': [
    {
      module: '/apps/relayer/dist/stages/hold.js',
      from: 'let hasWritten = false;',
      to: 'if (!this.hasBegun) { this.hasBegun = true; await this.store.operations.restartHolds(fence); } let hasWritten = false;',
    },
    {
      module: store('operation-repository'),
      from: 'findHoldsOver:',
      to: `restartHolds: () => {
        for (const { id, status, holdUntil, holdReleasedAt } of operations.all())
          if (status === 'AWAITING_RELAY' && holdUntil !== null && holdReleasedAt === null)
            operations.update(id, { holdUntil: new Date(database.now() + 10_000) });
      }, findHoldsOver:`,
    },
  ],
  'reorg ignored': [
    {
      module: store('chain-data'),
      from: 'database.events.deleteAfter(chainId, ancestor);',
      to: '',
    },
  ],
  'quorum asked of one node twice': [
    {
      module: '/packages/chain/dist/nodes/quorum.js',
      from: 'const answer = await read(node.client);',
      to: 'const answer = await read(nodes[0].client);',
    },
  ],
  'gap not healed': [
    {
      module: '/packages/chain/dist/wallet/follow-decision.js',
      from: 'for (let nonce = chainNonce; nonce < nextNonce; nonce++)',
      to: 'for (let nonce = nextNonce; nonce < nextNonce; nonce++)',
    },
  ],
  'value in flight not reserved': [
    {
      module: '/packages/chain/dist/wallet/books.js',
      from: 'available: balance - value - fees',
      to: 'available: balance',
    },
  ],
  'batch item counted as paid when skipped': [
    {
      module: '/apps/relayer/dist/wallet/call-end.js',
      from: '.filter(({ id }) => !paid.has(id))',
      to: '.filter(() => false)',
    },
  ],
  "stranger's bind wins": [
    {
      module: store('pairing'),
      from: 'operation.sender === transfer.payer &&\n    operation.amount === transfer.amount &&\n    transfer.asset',
      to: '(operation.sender === transfer.payer || intent.proposedOriginTxHash === transfer.txHash) &&\n    operation.amount === transfer.amount &&\n    transfer.asset',
    },
    {
      module: store('pairing'),
      from: 'operation.sender === transfer.payer &&\n    operation.amount === transfer.amount &&\n    operation.originChainId',
      to: 'operation.amount === transfer.amount &&\n    operation.originChainId',
    },
  ],
  'refund paid twice': [
    {
      module: store('refund-repository'),
      from: "refunds.filter(({ status }) => status === 'APPROVED')",
      to: "refunds.filter(({ status }) => status === 'APPROVED' || status === 'PENDING')",
    },
    {
      module: store('refund-repository'),
      from: "refund?.status !== 'APPROVED' ||",
      to: 'refund === undefined ||',
    },
  ],
  'expiry written before the last block in time is read': [
    {
      module: BIND,
      from: 'const final = await this.newestAccounted();',
      to: 'const read = await this.newestAccounted(); const final = read && { ...read, timestamp: new Date() };',
    },
  ],
};
