import type { Pool } from 'pg';

// A database as after years of work, made by the server itself: ended operations with everything that belongs to them,
// and pending ones in every state. Ids are hashes of the row's number, so every run makes the same rows.

/** The chain ids of the environment `local`. */
export const ETHEREUM = 31_337;
export const PARTNER = 8_901;
/** The relayer wallet. */
export const WALLET = `0x${'a'.repeat(40)}` as const;
/** Three in five of the ended operations pay this address. */
export const BUSY = `0x${'b'.repeat(40)}` as const;
/** The newest block of both chains. Its time is that of `NOW`. */
export const HEAD = 10_000_000n;
export const NOW = new Date('2026-11-22T12:00:00Z');

/** How many rows. `pending`: of each of the six pending states. */
interface Size {
  readonly ended: number;
  readonly pending: number;
}

const hash = (salt: string, n = 'n') => `'0x' || md5('${salt}' || ${n}) || md5('${salt}+' || ${n})`;
const address = (salt: string, n = 'n') => `'0x' || left(md5('${salt}' || ${n}) || md5('${salt}+' || ${n}), 40)`;
const now = `timestamptz '${NOW.toISOString()}'`;

/**
 * Kinds by the last digit of the row's number: 0-3 deposit, 4-6 burn, 7 native withdrawal, 8 completed intent,
 * 9 expired intent. Blocks grow with the number, ten operations a block.
 */
const ROWS = (first: string, last: string) => `
  SELECT n, ${hash('operation')} AS id, n % 10 < 4 AS is_deposit,
    CASE WHEN n % 10 < 4 THEN 'DEPOSIT' WHEN n % 10 < 7 THEN 'BURN' WHEN n % 10 = 7 THEN 'NATIVE_WITHDRAWAL' ELSE 'INTENT' END AS kind,
    CASE WHEN n % 10 < 2 OR n % 10 = 4 THEN 'ETH' WHEN n % 10 < 7 THEN 'USDC' ELSE 'XCN' END AS asset,
    CASE WHEN n % 10 < 4 THEN ${ETHEREUM} ELSE ${PARTNER} END AS origin, CASE WHEN n % 10 < 4 THEN ${PARTNER} ELSE ${ETHEREUM} END AS destination,
    ${HEAD} - (${last} - n) / 10 - 100 AS block, ${now} - (${last} - n) * interval '200 milliseconds' - interval '1 hour' AS at,
    ${address('sender', 'n % 50000')} AS sender, 1000000 + n AS amount
  FROM generate_series(${first}, ${last}) n`;

/**
 * Fills an empty, migrated database and updates the planner's statistics.
 *
 * @param sql the user must be a superuser: triggers and foreign keys are off meanwhile.
 */
export async function fillStore(sql: Pool, { ended, pending }: Size): Promise<void> {
  const client = await sql.connect();
  try {
    await client.query('SET session_replication_role = replica');
    for (const statement of [...chains(ended), ...endedOperations(ended), ...journal(ended), ...upkeep(ended)])
      await client.query(statement);
    for (const statement of [...pendingOperations(ended, pending), ...histories()]) await client.query(statement);
    await client.query('SET session_replication_role = DEFAULT');
    await client.query('VACUUM ANALYZE');
  } finally {
    client.release(true);
  }
}

function chains(ended: number): string[] {
  return [ETHEREUM, PARTNER].flatMap((chainId) => [
    `INSERT INTO chain_cursor (chain_id, next_block, head_block) VALUES (${chainId}, ${HEAD} + 1, ${HEAD})`,
    `INSERT INTO chain_block (chain_id, number, hash, "timestamp")
     SELECT ${chainId}, n, ${hash(`block ${chainId} `)}, ${now} - (${HEAD} - n) * interval '2 seconds'
     FROM generate_series(${HEAD} - ${Math.max(4_096, Math.ceil(ended / 10) + 200)}, ${HEAD}) n`,
  ]);
}

function endedOperations(ended: number): string[] {
  const rows = ROWS('1', `${ended}`);
  return [
    `INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
       origin_chain_id, destination_chain_id, origin_nonce, origin_tx_hash, origin_log_index, origin_block_number, origin_block_hash,
       origin_confirmations, required_confirmations, finalized_at, hold_until, hold_released_at, attempts,
       destination_tx_hash, settled_at, settled_block_number, settled_credited, expired_at, created_at, updated_at)
     SELECT id, kind::"OperationKind", (CASE WHEN is_deposit THEN 'ETHEREUM_TO_PARTNER' ELSE 'PARTNER_TO_ETHEREUM' END)::"Direction",
       asset::"Asset", (CASE WHEN n % 10 = 9 THEN 'EXPIRED' ELSE 'COMPLETED' END)::"OperationStatus",
       amount, CASE WHEN is_deposit THEN 0 ELSE 10 END, 25, amount - CASE WHEN is_deposit THEN 0 ELSE 10 END, sender, CASE WHEN n % 5 < 3 THEN '${BUSY}' ELSE ${address('recipient', 'n % 70000')} END,
       origin, destination, CASE WHEN kind = 'INTENT' THEN NULL ELSE n END,
       CASE WHEN n % 10 < 9 THEN ${hash('origin')} END, CASE WHEN n % 10 < 8 THEN n % 100 END,
       CASE WHEN n % 10 < 9 THEN block END, CASE WHEN n % 10 < 9 THEN ${hash('block of ', 'block')} END,
       12, 12, CASE WHEN n % 10 < 9 THEN at END, CASE WHEN n % 10 BETWEEN 4 AND 8 THEN at END, CASE WHEN n % 10 < 9 THEN at END, 1,
       CASE WHEN n % 10 < 9 THEN ${hash('delivery')} END, CASE WHEN n % 10 < 9 THEN at END, CASE WHEN n % 10 < 9 THEN block END,
       CASE WHEN n % 10 < 9 THEN false END, CASE WHEN n % 10 = 9 THEN at END, at, at
     FROM (${rows}) r`,
    `INSERT INTO intent (id, sender, nonce, nonce_hash, idempotency_key, deadline_seconds, signature, expires_at, created_at, accepted_at_block, judged_at_block)
     SELECT id, sender, n, ${hash('nonce')}, n, 2000000000, '0x01', at + interval '30 minutes', at, block, block - 1 FROM (${rows}) r WHERE kind = 'INTENT'`,
    `INSERT INTO inbound_transfer (chain_id, tx_hash, asset, call_index, payer, wallet, amount, block_number, block_hash, mined_at, operation_id, sweep_id)
     SELECT ${PARTNER}, ${hash('origin')}, 'XCN'::"Asset", 0, sender, '${WALLET}', amount, block, ${hash('block of ', 'block')}, at, id, 1 + n / 1000
     FROM (${rows}) r WHERE n % 10 = 8`,
    // Transfers that pay nothing: any account can send them. Each is a failed operation of its own.
    `INSERT INTO inbound_transfer (chain_id, tx_hash, asset, call_index, payer, wallet, amount, block_number, block_hash, mined_at, operation_id, has_failed)
     SELECT ${PARTNER}, ${hash('dust')}, 'XCN'::"Asset", 0, ${address('sender', 'n % 50000')}, '${WALLET}', 1, block, ${hash('block of ', 'block')}, at, ${hash('failed')}, true
     FROM (${rows}) r WHERE n % 20 = 9`,
    `INSERT INTO chain_event (chain_id, tx_hash, log_index, block_number, block_hash, name, operation_id, args)
     SELECT origin, ${hash('origin')}, n % 100, block, ${hash('block of ', 'block')}, CASE WHEN is_deposit THEN 'Deposit' ELSE 'Withdraw' END,
       id, jsonb_build_object('amount', amount::text, 'sender', sender) FROM (${rows}) r WHERE n % 10 < 8`,
    `INSERT INTO chain_event (chain_id, tx_hash, log_index, block_number, block_hash, name, operation_id, args)
     SELECT destination, ${hash('delivery')}, 0, block, ${hash('block of ', 'block')}, CASE WHEN is_deposit THEN 'Mint' ELSE 'Release' END,
       id, jsonb_build_object('amount', amount::text, 'fee', '10', 'recipient', sender) FROM (${rows}) r WHERE n % 10 < 9`,
  ];
}

/** One ended call of each delivery; every tenth has two transactions. */
function journal(ended: number): string[] {
  const deliveries = `(${ROWS('1', `${ended}`)}) r WHERE n % 10 < 9`;
  return [
    `INSERT INTO wallet_call (id, chain_id, sender, nonce, "to", data, value, purpose, state, created_at, tx_hash, block_number, block_hash, fee_paid, ended_at)
     SELECT n, destination, '${WALLET}', n, sender, '0x', 0, 'DELIVERY', 'SUCCEEDED', at, ${hash('delivery')}, block, ${hash('block of ', 'block')}, 1000, at
     FROM ${deliveries}`,
    `INSERT INTO wallet_fee (chain_id, sender, minute, fee_paid)
     SELECT chain_id, sender, date_trunc('minute', ended_at), sum(fee_paid) FROM wallet_call GROUP BY 1, 2, 3`,
    signedTransactions('delivery', deliveries),
    signedTransactions('replaced', `${deliveries} AND n % 10 = 3`),
    `INSERT INTO call_operation (call_id, operation_id, position) SELECT n, id, 0 FROM ${deliveries}`,
  ];
}

const signedTransactions = (salt: string, from: string) => `
  INSERT INTO signed_transaction (tx_hash, call_id, raw, gas, max_fee_per_gas, max_priority_fee_per_gas)
  SELECT ${hash(salt)}, n, '0x02', 100000, 2, 1 FROM ${from}`;

/** All burns but the newest are retired, a thousand at a time; likewise the sweeps. */
function upkeep(ended: number): string[] {
  const at = `${now} - interval '1 hour'`;
  return [
    `INSERT INTO retirement (chain_id, asset, amount, state, created_at, ended_at)
     SELECT ${PARTNER}, (CASE WHEN n % 3 = 0 THEN 'ETH' ELSE 'USDC' END)::"Asset", 1000, 'CONFIRMED', ${at}, ${at}
     FROM generate_series(1, ${Math.ceil(ended / 1_000) + 1}) n`,
    `INSERT INTO retired_operation (operation_id, retirement_id)
     SELECT id, 1 + n / 1000 FROM (${ROWS('1', `${ended}`)}) r WHERE kind = 'BURN' AND n <= ${ended - 200}`,
    `INSERT INTO unretired_burn (operation_id, chain_id, asset)
     SELECT id, origin, asset::"Asset" FROM (${ROWS(`${ended - 199}`, `${ended}`)}) r WHERE kind = 'BURN'`,
    `INSERT INTO sweep (chain_id, amount, state, created_at, ended_at)
     SELECT ${PARTNER}, 1000, 'CONFIRMED', ${at}, ${at} FROM generate_series(1, ${Math.ceil(ended / 1_000) + 1}) n`,
  ];
}

/** The six states: confirming, held, due, in delivery, delayed, and intents that wait for their transfer. */
function pendingOperations(ended: number, pending: number): string[] {
  const states = ['CONFIRMING', 'AWAITING_RELAY', 'AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED'];
  const inserts = states.map((status, index) => {
    const first = ended + 1 + index * pending;
    const [isFinal, isReleased, isSent] = [index > 0, index > 1, index === 3];
    // No intents among them: their numbers end in 0 to 7.
    const rows = ROWS(`${first}`, `${first + pending - 1}`).replaceAll('n % 10', 'n % 8');
    return `
      INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
        origin_chain_id, destination_chain_id, origin_nonce, origin_tx_hash, origin_log_index, origin_block_number, origin_block_hash,
        origin_confirmations, required_confirmations, finalized_at, hold_until, hold_released_at, delayed_reason, delayed_since,
        next_attempt_at, destination_tx_hash)
      SELECT id, kind::"OperationKind", (CASE WHEN is_deposit THEN 'ETHEREUM_TO_PARTNER' ELSE 'PARTNER_TO_ETHEREUM' END)::"Direction",
        asset::"Asset", '${status}', amount, CASE WHEN is_deposit THEN 0 ELSE 10 END, 25, amount - CASE WHEN is_deposit THEN 0 ELSE 10 END,
        sender, sender, origin, destination, n, ${hash('origin')}, n % 100, ${HEAD} - 3, ${hash('block ', 'origin')}, 3, 12,
        ${isFinal ? 'at' : 'NULL'}, ${isFinal ? `${now} + interval '30 minutes'` : 'NULL'}, ${isReleased ? 'at' : 'NULL'},
        ${status === 'DELAYED' ? `'PAUSED', at, ${now} + interval '1 minute'` : 'NULL, NULL, NULL'}, ${isSent ? hash('delivery') : 'NULL'}
      FROM (${rows}) r`;
  });
  const burns = `INSERT INTO unretired_burn (operation_id, chain_id, asset)
    SELECT id, origin_chain_id, asset FROM operation WHERE kind = 'BURN' AND status NOT IN ('COMPLETED', 'FAILED')`;
  const sent = ended + 1 + 3 * pending;
  const inDelivery = `generate_series(${sent}, ${sent + pending - 1}) n JOIN operation ON id = ${hash('operation')}`;
  const open = ROWS(`${ended + 1 + 5 * pending}`, `${ended + 6 * pending}`);
  return [
    ...inserts,
    burns,
    `INSERT INTO wallet_call (id, chain_id, sender, nonce, "to", data, value, purpose)
     SELECT n, destination_chain_id, '${WALLET}', n, sender, '0x', 0, 'DELIVERY' FROM ${inDelivery}`,
    signedTransactions('delivery', inDelivery),
    `INSERT INTO call_operation (call_id, operation_id, position) SELECT n, id, 0 FROM ${inDelivery}`,
    // Half of the deliveries show their event.
    `INSERT INTO chain_event (chain_id, tx_hash, log_index, block_number, block_hash, name, operation_id, args)
     SELECT destination_chain_id, ${hash('delivery')}, 0, ${HEAD} - 50, ${hash('block of ', "'0'")}, 'Mint', id, '{}'
     FROM generate_series(${sent}, ${sent + pending - 1}, 2) n JOIN operation ON id = ${hash('operation')}`,
    `INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
       origin_chain_id, destination_chain_id, required_confirmations, created_at)
     SELECT id, 'INTENT', 'PARTNER_TO_ETHEREUM', 'XCN', 'PENDING_ORIGIN_TX', amount, 10, 25, amount - 10, sender, sender, ${PARTNER}, ${ETHEREUM}, 6,
       ${now} - interval '10 minutes' FROM (${open}) r`,
    // Every fourth window has closed; every other intent is paid.
    `INSERT INTO intent (id, sender, nonce, nonce_hash, idempotency_key, deadline_seconds, signature, expires_at, created_at, accepted_at_block, judged_at_block)
     SELECT id, sender, 'open ' || n, ${hash('nonce')}, 'open ' || n, 2000000000, '0x01',
       ${now} + CASE WHEN n % 4 = 0 THEN -interval '1 minute' ELSE interval '20 minutes' END, ${now} - interval '10 minutes', 0, 0 FROM (${open}) r`,
    `INSERT INTO inbound_transfer (chain_id, tx_hash, asset, call_index, payer, wallet, amount, block_number, block_hash, mined_at)
     SELECT ${PARTNER}, ${hash('origin')}, 'XCN'::"Asset", 0, sender, '${WALLET}', amount, ${HEAD} - 20, ${hash('block of ', "'0'")}, ${now} - interval '5 minutes'
     FROM (${open}) r WHERE n % 2 = 1`,
  ];
}

/** The histories of all addresses, numbered as the store numbers them. */
function histories(): string[] {
  const before = 'ORDER BY created_at, id';
  return [
    `INSERT INTO operation_party (address, sequence, direction, direction_sequence, operation_id)
     SELECT address, row_number() OVER (PARTITION BY address ${before}), direction,
       row_number() OVER (PARTITION BY address, direction ${before}), id
     FROM (SELECT sender AS address, id, direction, created_at FROM operation
           UNION SELECT recipient, id, direction, created_at FROM operation) party`,
    `INSERT INTO party_counter (address, total, deposits, withdrawals)
     SELECT address, count(*), count(*) FILTER (WHERE direction = 'ETHEREUM_TO_PARTNER'),
       count(*) FILTER (WHERE direction = 'PARTNER_TO_ETHEREUM')
     FROM operation_party GROUP BY address`,
  ];
}
