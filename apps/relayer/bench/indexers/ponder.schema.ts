import { onchainTable } from 'ponder';

export const deposit = onchainTable('deposit', (t) => ({
  id: t.hex().primaryKey(),
  token: t.hex().notNull(),
  sender: t.hex().notNull(),
  recipient: t.hex().notNull(),
  amount: t.bigint().notNull(),
  nonce: t.bigint().notNull(),
  blockNumber: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  logIndex: t.integer().notNull(),
}));
