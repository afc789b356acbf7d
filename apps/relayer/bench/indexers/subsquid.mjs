import { event, indexed } from '@subsquid/evm-abi';
import { address, bytes32, uint256 } from '@subsquid/evm-codec';
import { EvmBatchProcessor } from '@subsquid/evm-processor';
import pg from 'pg';

// Subsquid's processor over JSON-RPC, with its own decoder. The store writes all events of a batch in one statement,
// and the height in the same transaction. The node, the range and the database come from the benchmark.
const { RPC_URLS = '', LAST_BLOCK = '', CONTRACT = '', DEPOSIT_TOPIC = '', DATABASE_URL } = process.env;

const Deposit = event(DEPOSIT_TOPIC, 'Deposit(bytes32,address,address,address,uint256,uint256)', {
  depositId: indexed(bytes32),
  token: indexed(address),
  sender: indexed(address),
  recipient: address,
  amount: uint256,
  nonce: uint256,
});

const client = new pg.Client({ connectionString: DATABASE_URL });
await client.connect();
await client.query(`CREATE TABLE deposit (
  id text PRIMARY KEY, token text NOT NULL, sender text NOT NULL, recipient text NOT NULL, amount numeric NOT NULL,
  nonce numeric NOT NULL, block_number bigint NOT NULL, transaction_hash text NOT NULL, log_index integer NOT NULL)`);
await client.query('CREATE TABLE height (number bigint NOT NULL, hash text NOT NULL)');

const database = {
  supportsHotBlocks: false,
  connect: async () => ({ height: -1, hash: '0x' }),
  transact: async ({ nextHead }, handle) => {
    await client.query('BEGIN');
    await handle(client);
    await client.query('DELETE FROM height');
    await client.query('INSERT INTO height VALUES ($1, $2)', [nextHead.height, nextHead.hash]);
    await client.query('COMMIT');
  },
};

new EvmBatchProcessor()
  .setRpcEndpoint({ url: RPC_URLS.split(',')[0] })
  .setFinalityConfirmation(65)
  .setFields({ log: { transactionHash: true, topics: true, data: true } })
  .setBlockRange({ from: 1, to: Number(LAST_BLOCK) })
  .addLog({ address: [CONTRACT], topic0: [DEPOSIT_TOPIC] })
  .run(database, async ({ store, blocks }) => {
    const rows = blocks.flatMap(({ header, logs }) =>
      logs.map((log) => ({ ...Deposit.decode(log), ...log, height: header.height })),
    );
    if (rows.length === 0) return;
    await store.query(
      `INSERT INTO deposit SELECT * FROM unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::bigint[], $8::text[], $9::int[])`,
      [
        rows.map(({ depositId }) => depositId),
        rows.map(({ token }) => token),
        rows.map(({ sender }) => sender),
        rows.map(({ recipient }) => recipient),
        rows.map(({ amount }) => String(amount)),
        rows.map(({ nonce }) => String(nonce)),
        rows.map(({ height }) => height),
        rows.map(({ transactionHash }) => transactionHash),
        rows.map(({ logIndex }) => logIndex),
      ],
    );
  });
