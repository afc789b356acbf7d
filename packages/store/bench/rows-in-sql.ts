// The constants of the large store, and pieces of its SQL. `n` is the number of a row: ids are hashes of it.

/** The chain ids of the environment `local`. */
export const ETHEREUM = 31_337;
export const PARTNER = 8_901;
/** The relayer wallet. */
export const WALLET = `0x${'a'.repeat(40)}` as const;
/** Three in five of the ended operations pay this address. */
export const BUSY = `0x${'b'.repeat(40)}` as const;
/** The newest block of both chains. Its time is `NOW`. */
export const HEAD = 10_000_000n;
export const NOW = new Date('2026-11-22T12:00:00Z');
/** XCN on Ethereum. */
export const TOKEN = `0x${'c'.repeat(40)}` as const;

export const hash = (salt: string, n = 'n') => `'0x' || md5('${salt}' || ${n}) || md5('${salt}+' || ${n})`;
export const address = (salt: string, n = 'n') => `'0x' || left(md5('${salt}' || ${n}) || md5('${salt}+' || ${n}), 40)`;
export const uuid = (salt: string) => `md5('${salt}' || n)::uuid::text`;
export const now = `timestamptz '${NOW.toISOString()}'`;
export const blockHash = hash('block of ', 'block');

/** ABI-encoded words: numbers that are mostly zeros, and hashes such as those of signatures. */
export const words = (salt: string, numbers: number, hashes: number) =>
  [
    ...Array.from({ length: numbers }, (_, index) => `lpad(to_hex(n + ${index}), 64, '0')`),
    ...Array.from({ length: 2 * hashes }, (_, index) => `md5('${salt}${index} ' || n)`),
  ].join(' || ');
/**
 * The call data of a delivery of one operation with the signatures of two attesters: mintMany has 19 words, releaseMany
 * 20, releaseIntent 28 with the sender's signature.
 */
export const callData = `CASE WHEN n % 10 < 4 THEN '0x6d3c8e01' || ${words('mint', 15, 4)}
  WHEN n % 10 < 8 THEN '0x6d3c8e02' || ${words('release', 16, 4)} ELSE '0x6d3c8e03' || ${words('intent', 18, 10)} END`;
/** The rest of a signed transaction: its fields before the call data, and its signature. */
export const rawOf = (salt: string, data: string) => `'0x02' || ${words(salt, 1, 2)} || substr(${data}, 3)`;

/**
 * Kinds by the last digit of the row's number: 0-3 deposit, 4-6 burn, 7 native withdrawal, 8 completed intent, 9
 * expired intent. Block numbers grow with the row's number, ten operations per block. `delivery_nonce`: without gaps on
 * each chain.
 */
export const ROWS = (first: string, last: string) => `
  SELECT n, ${hash('operation')} AS id, n % 10 < 4 AS is_deposit,
    CASE WHEN n % 10 < 4 THEN 'DEPOSIT' WHEN n % 10 < 7 THEN 'BURN' WHEN n % 10 = 7 THEN 'NATIVE_WITHDRAWAL' ELSE 'INTENT' END AS kind,
    CASE WHEN n % 10 IN (0, 1, 4) THEN 'ETH' WHEN n % 10 IN (2, 5, 6) THEN 'USDC' ELSE 'XCN' END AS asset,
    CASE WHEN n % 10 < 4 THEN ${ETHEREUM} ELSE ${PARTNER} END AS origin, CASE WHEN n % 10 < 4 THEN ${PARTNER} ELSE ${ETHEREUM} END AS destination,
    ${HEAD} - (${last} - n) / 10 - 100 AS block, ${now} - (${last} - n) * interval '200 milliseconds' - interval '1 hour' AS at,
    ${address('sender', 'n % 50000')} AS sender,
    CASE WHEN n % 5 < 3 THEN '${BUSY}' ELSE ${address('recipient', 'n % 70000')} END AS recipient,
    1000000 + n AS amount, CASE WHEN n % 10 < 4 THEN 0 ELSE 10 END AS fee,
    CASE WHEN n % 10 < 4 THEN n / 10 * 4 + n % 10 ELSE n / 10 * 5 + n % 10 - 4 END AS delivery_nonce,
    CASE WHEN n % 10 IN (3, 7, 8, 9) THEN '${TOKEN}' ELSE ${address('token', 'n % 3')} END AS token
  FROM generate_series(${first}, ${last}) n`;

export const event = (
  name: string,
  chainId: string,
  of: string,
  index: string,
  args: string,
  rows: string,
  verdict = 'NULL',
) => `
  INSERT INTO chain_event (chain_id, tx_hash, log_index, block_number, block_hash, name, operation_id, args, verdict)
  SELECT ${chainId}, ${hash(of)}, ${index}, block, ${blockHash}, '${name}', id, jsonb_build_object(${args}), ${verdict} FROM ${rows}`;
export const MATCHED = `'MATCHED'::"DeliveryVerdict"`;

export const insertCalls = (columns: string, values: string, from: string) => `
  INSERT INTO wallet_call (${columns}, value, state, created_at, tx_hash, block_number, block_hash, fee_paid, ended_at)
  SELECT ${values} FROM ${from}`;
export const nextNonce = `(SELECT coalesce(max(nonce), -1) FROM wallet_call c WHERE c.chain_id = ${PARTNER})`;
export const signedTransactions = (salt: string, columns: string, from: string) => `
  INSERT INTO signed_transaction (tx_hash, call_id, raw, gas, max_fee_per_gas, max_priority_fee_per_gas)
  SELECT ${hash(salt)}, ${columns}, 350000, 2000000000, 1000000000 FROM ${from}`;
