-- The whole schema of the bridge: types, tables and indexes, invariants, notifications, and limits of restricted
-- logins. ../../schema.prisma describes each column. Amounts are atomic units; hashes and addresses are 0x-prefixed
-- lower-case hex.

--------------------------------------------------------------------------------------------------------------------
-- 1. Types
--------------------------------------------------------------------------------------------------------------------

-- A symbol. The table of assets and the address book define which symbols exist; the database checks only their format.
CREATE DOMAIN "Asset" AS text CHECK (VALUE ~ '^[A-Z0-9]{1,12}$');

CREATE TYPE "Direction" AS ENUM ('ETHEREUM_TO_PARTNER', 'PARTNER_TO_ETHEREUM');
CREATE TYPE "OperationKind" AS ENUM ('DEPOSIT', 'BURN', 'NATIVE_WITHDRAWAL', 'INTENT', 'TRANSFER');
CREATE TYPE "OperationStatus" AS ENUM (
  'PENDING_ORIGIN_TX', 'CONFIRMING', 'AWAITING_RELAY', 'PROCESSING_DESTINATION', 'COMPLETED', 'DELAYED', 'FAILED', 'EXPIRED'
);
CREATE TYPE "DelayReason" AS ENUM (
  'FLOAT_SHORT', 'OUTFLOW_LIMIT', 'COLLATERAL_SHORT', 'BACKING_SHORT', 'PAUSED', 'NODE_UNAVAILABLE', 'NODE_REFUSED',
  'FEES_ABOVE_CAP', 'ORIGIN_NOT_CONFIRMED', 'NONCE_TAKEN', 'DESTINATION_REVERTED', 'DELIVERY_CANCELLED', 'NUMBER_USED_UP',
  'ATTESTERS_UNAVAILABLE', 'ATTESTERS_DISAGREE'
);
CREATE TYPE "FailureReason" AS ENUM ('TRANSFER_UNMATCHED', 'SIGNATURE_REVOKED', 'REJECTED_BY_OPERATORS');
CREATE TYPE "DeliveryVerdict" AS ENUM ('MATCHED', 'UNKNOWN', 'ACCEPTED');
CREATE TYPE "CallPurpose" AS ENUM ('DELIVERY', 'RETIREMENT', 'SWEEP', 'REFUND', 'NONCE_GAP');
CREATE TYPE "CallState" AS ENUM ('PENDING', 'SUCCEEDED', 'REVERTED', 'CANCELLED', 'TAKEN');
CREATE TYPE "UpkeepState" AS ENUM ('PENDING', 'CONFIRMED', 'FAILED');
CREATE TYPE "RefundStatus" AS ENUM ('REQUESTED', 'APPROVED', 'PENDING', 'COMPLETED', 'REFUSED');
CREATE TYPE "AttesterVerdict" AS ENUM ('SIGN', 'NOT_YET', 'REFUSE');
CREATE TYPE "RequestState" AS ENUM ('AWAITING_APPROVAL', 'QUEUED', 'DONE', 'REFUSED', 'EXPIRED');
CREATE TYPE "AdminRole" AS ENUM ('viewer', 'operator', 'admin');
CREATE TYPE "NotificationSeverity" AS ENUM ('critical', 'warning', 'info');

--------------------------------------------------------------------------------------------------------------------
-- 2. Tables
--------------------------------------------------------------------------------------------------------------------

-- One transfer across the bridge, from its origin to its settlement.
CREATE TABLE operation (
  id TEXT PRIMARY KEY,
  kind "OperationKind" NOT NULL,
  direction "Direction" NOT NULL,
  asset "Asset" NOT NULL,
  status "OperationStatus" NOT NULL,
  amount DECIMAL(78, 0) NOT NULL,
  fee DECIMAL(78, 0) NOT NULL,
  fee_bps INTEGER NOT NULL,
  output_amount DECIMAL(78, 0) NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  origin_chain_id INTEGER NOT NULL,
  destination_chain_id INTEGER NOT NULL,
  origin_nonce DECIMAL(78, 0),
  origin_tx_hash TEXT,
  origin_log_index INTEGER,
  origin_block_number BIGINT,
  origin_block_hash TEXT,
  origin_confirmations INTEGER NOT NULL DEFAULT 0,
  required_confirmations INTEGER NOT NULL,
  finalized_at TIMESTAMPTZ(3),
  hold_until TIMESTAMPTZ(3),
  hold_released_at TIMESTAMPTZ(3),
  final_since TIMESTAMPTZ(3),
  delayed_reason "DelayReason",
  delayed_since TIMESTAMPTZ(3),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TIMESTAMPTZ(3),
  destination_tx_hash TEXT,
  settled_at TIMESTAMPTZ(3),
  settled_block_number BIGINT,
  settled_credited BOOLEAN,
  failure_reason "FailureReason",
  refund_id TEXT,
  expired_at TIMESTAMPTZ(3),
  quoted_completion_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  changed_in BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX operation_origin_tx_hash_origin_log_index_idx ON operation (origin_tx_hash, origin_log_index);
CREATE INDEX operation_changed_in_idx ON operation (changed_in);
-- The list of all operations, and the delayed ones in it: see `OperationListing`.
CREATE INDEX operation_listing ON operation (status, kind, asset, direction, created_at, id);
CREATE INDEX operation_delayed_listing ON operation (delayed_reason, kind, asset, direction, created_at, id)
  WHERE status = 'DELAYED';
-- The stages read only live operations. Their number stays small as the table grows.
CREATE INDEX operation_live ON operation (status, origin_chain_id, origin_block_number)
  WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED');
-- In the order in which holds end, so that a run reads only ended holds. A held operation can be DELAYED because its
-- number was used up; its hold ends like any other.
CREATE INDEX operation_held ON operation (origin_chain_id, hold_until, id)
  WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND hold_released_at IS NULL;
-- In the order of delivery, without held operations.
CREATE INDEX operation_due ON operation (destination_chain_id, next_attempt_at NULLS FIRST, hold_released_at, id)
  WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND hold_released_at IS NOT NULL;
-- For sums of recently completed operations: see `OverviewRepository`. An operation enters the index once, when it
-- completes.
CREATE INDEX operation_completed ON operation (settled_at) INCLUDE (asset, output_amount, fee) WHERE status = 'COMPLETED';
-- The open intents of a sender, to find the one that a transfer pays.
CREATE INDEX operation_open_intent ON operation (sender, amount)
  WHERE kind = 'INTENT' AND status IN ('PENDING_ORIGIN_TX', 'CONFIRMING');

-- The delays of an operation, each with its reason: the operation itself has only the last one.
CREATE TABLE operation_delay (
  operation_id TEXT NOT NULL REFERENCES operation ON DELETE CASCADE ON UPDATE CASCADE,
  since TIMESTAMPTZ(3) NOT NULL,
  reason "DelayReason" NOT NULL,
  ended_at TIMESTAMPTZ(3),
  PRIMARY KEY (operation_id, since)
);
CREATE INDEX operation_delay_ended ON operation_delay (ended_at) WHERE ended_at IS NOT NULL;

-- A signed order to withdraw native XCN, which begins an operation.
CREATE TABLE intent (
  id TEXT PRIMARY KEY REFERENCES operation ON DELETE RESTRICT ON UPDATE CASCADE,
  sender TEXT NOT NULL,
  nonce TEXT,
  nonce_hash TEXT NOT NULL,
  idempotency_key TEXT,
  deadline_seconds BIGINT NOT NULL,
  signature TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  proposed_origin_tx_hash TEXT,
  proposed_origin_nonce BIGINT,
  accepted_at_block BIGINT NOT NULL,
  judged_at_block BIGINT NOT NULL,
  relayer_wallet TEXT,
  client_ip TEXT,
  rejected_by TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
CREATE INDEX intent_sender_expires_at_idx ON intent (sender, expires_at);
CREATE INDEX intent_client_ip_expires_at_idx ON intent (client_ip, expires_at);
CREATE UNIQUE INDEX intent_sender_idempotency_key_key ON intent (sender, idempotency_key);
CREATE UNIQUE INDEX intent_sender_nonce_hash_key ON intent (sender, nonce_hash);
-- The proposals of pending and confirming intents.
CREATE INDEX intent_proposal ON intent (proposed_origin_tx_hash) WHERE proposed_origin_tx_hash IS NOT NULL;
-- The intents that operators rejected.
CREATE INDEX intent_rejected ON intent (id) WHERE rejected_by IS NOT NULL;

-- The history of an address: its operations, numbered without gaps.
CREATE TABLE operation_party (
  address TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  direction "Direction" NOT NULL,
  direction_sequence BIGINT NOT NULL,
  operation_id TEXT NOT NULL REFERENCES operation ON DELETE CASCADE ON UPDATE CASCADE,
  is_unproven BOOLEAN NOT NULL DEFAULT false,
  PRIMARY KEY (address, sequence)
);
CREATE INDEX operation_party_operation_id_idx ON operation_party (operation_id);
CREATE UNIQUE INDEX operation_party_address_direction_direction_sequence_key
  ON operation_party (address, direction, direction_sequence);
-- The unpaid intents of other senders in the history of an address.
CREATE INDEX operation_party_unproven ON operation_party (address) WHERE is_unproven;

-- The last numbers in operation_party.
CREATE TABLE party_counter (
  address TEXT PRIMARY KEY,
  total BIGINT NOT NULL DEFAULT 0,
  deposits BIGINT NOT NULL DEFAULT 0,
  withdrawals BIGINT NOT NULL DEFAULT 0
);

-- How far a chain was read, and its halts.
CREATE TABLE chain_cursor (
  chain_id INTEGER PRIMARY KEY,
  next_block BIGINT NOT NULL,
  head_block BIGINT NOT NULL,
  read_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  halted_at TIMESTAMPTZ(3),
  halted_reason TEXT,
  deliveries_halted_at TIMESTAMPTZ(3),
  deliveries_halted_reason TEXT
);

-- Blocks that were read, to detect reorgs and for chain time.
CREATE TABLE chain_block (
  chain_id INTEGER NOT NULL,
  number BIGINT NOT NULL,
  hash TEXT NOT NULL,
  timestamp TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (chain_id, number)
);

-- Every event of the bridge contracts up to the cursor, with the watch's verdict.
CREATE TABLE chain_event (
  chain_id INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  block_number BIGINT NOT NULL,
  block_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  args JSONB NOT NULL,
  verdict "DeliveryVerdict",
  PRIMARY KEY (chain_id, tx_hash, log_index)
);
CREATE INDEX chain_event_operation_id_name_idx ON chain_event (operation_id, name);
CREATE INDEX chain_event_chain_id_block_number_idx ON chain_event (chain_id, block_number);
-- The events without a verdict, and those that an operator must review or has accepted. Their number stays small.
CREATE INDEX chain_event_unjudged ON chain_event (chain_id, block_number, log_index)
  WHERE verdict IS NULL AND name IN ('Mint', 'Release', 'Refunded');
CREATE INDEX chain_event_unjudged_opening ON chain_event (chain_id, block_number, log_index)
  WHERE verdict IS NULL AND name IN ('Reopened', 'IdReopened');
CREATE INDEX chain_event_unknown ON chain_event (chain_id, block_number, log_index)
  WHERE verdict IN ('UNKNOWN', 'ACCEPTED');

-- The operations and refunds whose numbers or ids the admin reopened. A reorg removes them with their event.
CREATE TABLE reopened_id (
  operation_id TEXT NOT NULL,
  chain_id INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  block_number BIGINT NOT NULL,
  PRIMARY KEY (operation_id, chain_id, tx_hash, log_index),
  FOREIGN KEY (chain_id, tx_hash, log_index) REFERENCES chain_event ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX reopened_id_chain_id_tx_hash_log_index_idx ON reopened_id (chain_id, tx_hash, log_index);

-- Moves native XCN from the wallet into BridgeMint's float.
CREATE TABLE sweep (
  id BIGSERIAL PRIMARY KEY,
  chain_id INTEGER NOT NULL,
  amount DECIMAL(78, 0) NOT NULL,
  state "UpkeepState" NOT NULL DEFAULT 'PENDING',
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  ended_at TIMESTAMPTZ(3)
);
-- One pending sweep per chain.
CREATE UNIQUE INDEX sweep_pending ON sweep (chain_id) WHERE state = 'PENDING';

-- A transfer of an asset to a relayer wallet: it pays an intent or is refunded.
CREATE TABLE inbound_transfer (
  chain_id INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  asset "Asset" NOT NULL,
  call_index INTEGER NOT NULL,
  payer TEXT NOT NULL,
  wallet TEXT NOT NULL,
  is_to_former_wallet BOOLEAN NOT NULL DEFAULT false,
  amount DECIMAL(78, 0) NOT NULL,
  memo TEXT,
  block_number BIGINT NOT NULL,
  block_hash TEXT NOT NULL,
  mined_at TIMESTAMPTZ(3) NOT NULL,
  operation_id TEXT REFERENCES operation ON DELETE RESTRICT ON UPDATE CASCADE,
  has_failed BOOLEAN NOT NULL DEFAULT false,
  sweep_id BIGINT REFERENCES sweep ON DELETE RESTRICT ON UPDATE CASCADE,
  PRIMARY KEY (chain_id, tx_hash, asset, call_index)
);
CREATE UNIQUE INDEX inbound_transfer_operation_id_key ON inbound_transfer (operation_id);
CREATE INDEX inbound_transfer_payer_amount_idx ON inbound_transfer (payer, amount);
CREATE INDEX inbound_transfer_chain_id_block_number_idx ON inbound_transfer (chain_id, block_number);
CREATE INDEX inbound_transfer_unbound ON inbound_transfer (payer, amount) WHERE operation_id IS NULL AND asset = 'XCN';
-- In the order in which transfers become final. A transfer leaves the index when it pays an intent or fails, so the
-- index stays small.
CREATE INDEX inbound_transfer_undecided ON inbound_transfer (chain_id, block_number) WHERE operation_id IS NULL;
-- For the sum of transfers that pay no intent. Anybody can make many of them.
CREATE INDEX inbound_transfer_kept ON inbound_transfer (chain_id, wallet) INCLUDE (amount)
  WHERE operation_id IS NULL AND asset = 'XCN';
CREATE INDEX inbound_transfer_swept ON inbound_transfer (sweep_id) WHERE sweep_id IS NOT NULL;
-- Very few transfers wait for a sweep. For three separate columns the planner multiplies their selectivities, expects a
-- third of the table, and scans all failed transfers. For one expression it has statistics.
CREATE INDEX inbound_transfer_unswept ON inbound_transfer (chain_id, wallet, block_number, operation_id)
  WHERE (sweep_id IS NULL AND operation_id IS NOT NULL AND NOT has_failed) IS TRUE;
CREATE STATISTICS inbound_transfer_unswept_share ON (sweep_id IS NULL AND operation_id IS NOT NULL AND NOT has_failed)
  FROM inbound_transfer;

-- Transfers in amounts too small for a refund, summed per payer and block.
CREATE TABLE dust (
  chain_id INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  asset "Asset" NOT NULL,
  payer TEXT NOT NULL,
  block_number BIGINT NOT NULL,
  amount DECIMAL(78, 0) NOT NULL,
  transfers BIGINT NOT NULL,
  PRIMARY KEY (chain_id, wallet, asset, payer, block_number)
);
CREATE INDEX dust_chain_id_wallet_block_number_idx ON dust (chain_id, wallet, block_number);

-- The refund of a failed operation's transfer, paid on the chain of the transfer.
CREATE TABLE refund (
  id TEXT PRIMARY KEY,
  operation_id TEXT NOT NULL REFERENCES operation ON DELETE RESTRICT ON UPDATE CASCADE,
  chain_id INTEGER NOT NULL,
  asset "Asset" NOT NULL,
  wallet TEXT NOT NULL,
  payer TEXT NOT NULL,
  amount DECIMAL(78, 0) NOT NULL,
  status "RefundStatus" NOT NULL DEFAULT 'REQUESTED',
  recipient TEXT,
  approved_by TEXT,
  paid_amount DECIMAL(78, 0),
  gas_fee DECIMAL(78, 0),
  dust DECIMAL(78, 0),
  tx_hash TEXT,
  settled_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX refund_operation_id_key ON refund (operation_id);
CREATE INDEX refund_listing ON refund (status, created_at, id);
-- The refunds that wait for the relayer or for operators. Their number stays small.
CREATE INDEX refund_open ON refund (chain_id, wallet, asset, created_at) INCLUDE (amount, status)
  WHERE status IN ('REQUESTED', 'APPROVED', 'PENDING');

-- Destroys the bridged tokens of many completed withdrawals in one transaction.
CREATE TABLE retirement (
  id BIGSERIAL PRIMARY KEY,
  chain_id INTEGER NOT NULL,
  asset "Asset" NOT NULL,
  amount DECIMAL(78, 0) NOT NULL,
  state "UpkeepState" NOT NULL DEFAULT 'PENDING',
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  ended_at TIMESTAMPTZ(3),
  tx_hashes TEXT[] DEFAULT ARRAY[]::TEXT[]
);
-- One pending retirement per token.
CREATE UNIQUE INDEX retirement_pending ON retirement (chain_id, asset) WHERE state = 'PENDING';

-- The burns of a retirement.
CREATE TABLE retired_operation (
  operation_id TEXT PRIMARY KEY REFERENCES operation ON DELETE RESTRICT ON UPDATE CASCADE,
  retirement_id BIGINT NOT NULL REFERENCES retirement ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX retired_operation_retirement_id_idx ON retired_operation (retirement_id);

-- The burns that are in no retirement.
CREATE TABLE unretired_burn (
  operation_id TEXT PRIMARY KEY REFERENCES operation ON DELETE CASCADE ON UPDATE CASCADE,
  chain_id INTEGER NOT NULL,
  asset "Asset" NOT NULL
);
CREATE INDEX unretired_burn_chain_id_asset_idx ON unretired_burn (chain_id, asset);

-- The journal of the relayer wallet: one row per call, which holds one nonce.
CREATE TABLE wallet_call (
  id BIGSERIAL PRIMARY KEY,
  chain_id INTEGER NOT NULL,
  sender TEXT NOT NULL,
  nonce BIGINT NOT NULL,
  "to" TEXT NOT NULL,
  data TEXT NOT NULL,
  value DECIMAL(78, 0) NOT NULL,
  purpose "CallPurpose" NOT NULL,
  state "CallState" NOT NULL DEFAULT 'PENDING',
  retirement_id BIGINT REFERENCES retirement ON DELETE RESTRICT ON UPDATE CASCADE,
  sweep_id BIGINT REFERENCES sweep ON DELETE RESTRICT ON UPDATE CASCADE,
  refund_id TEXT REFERENCES refund ON DELETE RESTRICT ON UPDATE CASCADE,
  cancelled_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  tx_hash TEXT,
  block_number BIGINT,
  block_hash TEXT,
  fee_paid DECIMAL(78, 0),
  ended_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX wallet_call_retirement_id_key ON wallet_call (retirement_id);
CREATE UNIQUE INDEX wallet_call_sweep_id_key ON wallet_call (sweep_id);
CREATE UNIQUE INDEX wallet_call_chain_id_sender_nonce_key ON wallet_call (chain_id, sender, nonce);
-- The wallet lane reads only pending calls. Their number stays small.
CREATE INDEX wallet_call_pending ON wallet_call (chain_id, sender, nonce) WHERE ended_at IS NULL;
-- The calls that retention can remove, oldest first.
CREATE INDEX wallet_call_retirable ON wallet_call (id)
  WHERE purpose IN ('DELIVERY', 'NONCE_GAP') AND state IN ('SUCCEEDED', 'REVERTED', 'CANCELLED');
-- For the calls that ended in a partial minute. Whole minutes are in wallet_fee.
CREATE INDEX wallet_call_ended ON wallet_call (chain_id, sender, ended_at) INCLUDE (fee_paid);
-- At most one call pays or has paid a refund. A reorg can reopen a failed call, which is then cancelled.
CREATE UNIQUE INDEX wallet_call_refund ON wallet_call (refund_id) WHERE state IN ('PENDING', 'SUCCEEDED') AND cancelled_at IS NULL;
-- Every call of a refund. Most calls are deliveries, which are not in the index.
CREATE INDEX wallet_call_of_refund ON wallet_call (refund_id) WHERE refund_id IS NOT NULL;

-- Every transaction signed for a call, stored before its broadcast. Any of them can be mined.
CREATE TABLE signed_transaction (
  tx_hash TEXT PRIMARY KEY,
  call_id BIGINT NOT NULL REFERENCES wallet_call ON DELETE RESTRICT ON UPDATE CASCADE,
  raw TEXT NOT NULL,
  gas BIGINT NOT NULL,
  max_fee_per_gas BIGINT NOT NULL,
  max_priority_fee_per_gas BIGINT NOT NULL,
  is_cancellation BOOLEAN NOT NULL DEFAULT false,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
CREATE INDEX signed_transaction_call_id_idx ON signed_transaction (call_id);
-- The transactions with bytes, oldest call first: retention empties them.
CREATE INDEX signed_transaction_raw ON signed_transaction (call_id) WHERE raw <> '0x';

-- The operations that a call pays.
CREATE TABLE call_operation (
  call_id BIGINT NOT NULL REFERENCES wallet_call ON DELETE RESTRICT ON UPDATE CASCADE,
  operation_id TEXT NOT NULL REFERENCES operation ON DELETE RESTRICT ON UPDATE CASCADE,
  position INTEGER NOT NULL,
  freed_at TIMESTAMPTZ(3),
  PRIMARY KEY (call_id, operation_id)
);
CREATE INDEX call_operation_operation_id_idx ON call_operation (operation_id);
-- An operation is in at most one live call, and stays in the call that paid it.
CREATE UNIQUE INDEX call_operation_live ON call_operation (operation_id) WHERE freed_at IS NULL;

-- The gas fees of the calls that ended in a minute, so that the fees of a day are the sum of 1,440 rows.
CREATE TABLE wallet_fee (
  chain_id INTEGER NOT NULL,
  sender TEXT NOT NULL,
  minute TIMESTAMPTZ(3) NOT NULL,
  fee_paid DECIMAL(78, 0) NOT NULL,
  PRIMARY KEY (chain_id, sender, minute)
);

-- Transactions of a relayer wallet that the journal lacks, as after the restore of an old backup.
CREATE TABLE unjournaled_transaction (
  chain_id INTEGER NOT NULL,
  sender TEXT NOT NULL,
  nonce BIGINT NOT NULL,
  tx_hash TEXT,
  mined_at TIMESTAMPTZ(3),
  token TEXT,
  recipient TEXT,
  amount DECIMAL(78, 0),
  refund_id TEXT,
  explanation TEXT,
  found_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (chain_id, sender, nonce)
);
-- For payments by recipient and payments without a name.
CREATE INDEX unjournaled_payment ON unjournaled_transaction (chain_id, sender, recipient) WHERE recipient IS NOT NULL;

-- The attesters' answers about the operations and refunds that wait for them. A few hundred rows at most. Without a
-- foreign key, because the id is of either table.
CREATE TABLE attester_answer (
  subject_id TEXT NOT NULL,
  attester TEXT NOT NULL,
  verdict "AttesterVerdict",
  reason TEXT,
  why TEXT,
  answered_at TIMESTAMPTZ(3),
  PRIMARY KEY (subject_id, attester)
);

-- An operator's request to the relayer, which carries it out once or refuses it.
CREATE TABLE admin_request (
  id TEXT PRIMARY KEY,
  terms JSONB NOT NULL,
  reason TEXT NOT NULL,
  version TEXT NOT NULL,
  decided_on JSONB NOT NULL,
  requested_by TEXT NOT NULL,
  approvals_needed INTEGER NOT NULL,
  valid_until TIMESTAMPTZ(3) NOT NULL,
  state "RequestState" NOT NULL,
  outcome TEXT,
  ended_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX admin_request_created_at_id_idx ON admin_request (created_at, id);
CREATE INDEX admin_request_state_created_at_id_idx ON admin_request (state, created_at, id);
-- Two people who request the same action get one request.
CREATE UNIQUE INDEX admin_request_open ON admin_request (terms) WHERE state IN ('AWAITING_APPROVAL', 'QUEUED');
-- The decisions about a refund.
CREATE INDEX admin_request_of_refund ON admin_request ((terms ->> 'refundId')) WHERE terms ->> 'refundId' IS NOT NULL;

-- The signatures over a request. The first one is the requester's.
CREATE TABLE admin_approval (
  request_id TEXT NOT NULL REFERENCES admin_request ON DELETE RESTRICT ON UPDATE CASCADE,
  operator TEXT NOT NULL,
  signature TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (request_id, operator)
);

-- The members of the allow-list that requests added, with the signed approvals.
CREATE TABLE admin_member (
  address TEXT PRIMARY KEY,
  role "AdminRole" NOT NULL,
  request_id TEXT NOT NULL,
  request JSONB NOT NULL,
  approvals JSONB NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);

-- The sessions of members in the console.
CREATE TABLE admin_session (
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  token_hash TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  last_used_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  client_ip TEXT,
  user_agent TEXT
);
CREATE UNIQUE INDEX admin_session_token_hash_key ON admin_session (token_hash);
CREATE INDEX admin_session_address_created_at_idx ON admin_session (address, created_at DESC);

-- The used nonces of Sign-In with Ethereum.
CREATE TABLE admin_nonce (
  nonce TEXT PRIMARY KEY,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX admin_nonce_expires_at_idx ON admin_nonce (expires_at);

-- The key that signs nonces; unused nonces are not stored.
CREATE TABLE admin_nonce_key (
  id INTEGER PRIMARY KEY DEFAULT 1,
  key BYTEA NOT NULL
);

-- The append-only audit log, a hash chain.
CREATE TABLE admin_audit (
  sequence BIGINT PRIMARY KEY,
  at TIMESTAMPTZ(3) NOT NULL,
  actor TEXT,
  role "AdminRole",
  session_id UUID,
  action TEXT NOT NULL,
  subject TEXT,
  before JSONB,
  after JSONB,
  reason TEXT,
  tx_hash TEXT,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE INDEX admin_audit_actor_sequence_idx ON admin_audit (actor, sequence);
CREATE INDEX admin_audit_action_sequence_idx ON admin_audit (action, sequence);
CREATE INDEX admin_audit_subject_sequence_idx ON admin_audit (subject, sequence);
CREATE INDEX admin_audit_actor_action_sequence_idx ON admin_audit (actor, action, sequence);

-- Running totals of native XCN, for solvency and for the float's runway.
CREATE TABLE xcn_total (
  partner_chain_id INTEGER NOT NULL,
  partner_block BIGINT PRIMARY KEY,
  ethereum_chain_id INTEGER NOT NULL,
  ethereum_block BIGINT NOT NULL,
  minted DECIMAL(78, 0) NOT NULL,
  withdrawn DECIMAL(78, 0) NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL
);

-- The statements of the reserves that attesters signed: one a day, kept permanently.
CREATE TABLE reserves_statement (
  day INTEGER PRIMARY KEY,
  digest TEXT NOT NULL,
  previous TEXT NOT NULL,
  ethereum_block BIGINT NOT NULL,
  ethereum_hash TEXT NOT NULL,
  partner_block BIGINT NOT NULL,
  partner_hash TEXT NOT NULL,
  assets JSONB NOT NULL,
  attester_set DECIMAL(78, 0) NOT NULL,
  signatures JSONB NOT NULL,
  published_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX reserves_statement_previous_key ON reserves_statement (previous);

-- The state of a relayer wallet after the blocks in which its balance was compared with its known transfers and
-- transactions.
CREATE TABLE wallet_audit (
  chain_id INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  block_number BIGINT NOT NULL,
  balance DECIMAL(78, 0) NOT NULL,
  nonce BIGINT NOT NULL,
  PRIMARY KEY (chain_id, wallet, block_number)
);

-- The blocks in which the balance change of a relayer wallet does not match its known transfers and transactions.
CREATE TABLE balance_difference (
  chain_id INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  block_number BIGINT NOT NULL,
  amount DECIMAL(78, 0) NOT NULL,
  found_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  explanation TEXT,
  PRIMARY KEY (chain_id, wallet, block_number)
);
CREATE INDEX balance_difference_unexplained ON balance_difference (chain_id, wallet) WHERE explanation IS NULL;

-- The outbox of messages to the people on duty. Triggers write a row in the transaction of its cause, regardless of the
-- program that writes it, and the active relayer sends it. For the reasons see docs/decisions/operations.md.
CREATE TABLE notification (
  id BIGSERIAL PRIMARY KEY,
  code TEXT NOT NULL,
  subject TEXT NOT NULL,
  severity "NotificationSeverity" NOT NULL,
  text TEXT NOT NULL,
  is_event BOOLEAN NOT NULL DEFAULT false,
  repeats INTEGER NOT NULL DEFAULT 0,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  ended_at TIMESTAMPTZ(3)
);
CREATE INDEX notification_code_subject_idx ON notification (code, subject);
CREATE INDEX notification_ended_at_idx ON notification (ended_at);
-- One row per lasting cause, however often it is reported.
CREATE UNIQUE INDEX notification_open ON notification (code, subject) WHERE ended_at IS NULL;
CREATE INDEX notification_event ON notification (id) WHERE is_event;

-- The state of sending a notification over a channel.
CREATE TABLE notification_sending (
  notification_id BIGINT NOT NULL REFERENCES notification ON DELETE CASCADE ON UPDATE CASCADE,
  channel TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TIMESTAMPTZ(3),
  sent_at TIMESTAMPTZ(3),
  over_sent_at TIMESTAMPTZ(3),
  PRIMARY KEY (notification_id, channel)
);
-- The messages that a channel may still have to send, and those that it sent lately.
CREATE INDEX notification_sending_open ON notification_sending (channel, notification_id) WHERE over_sent_at IS NULL;
CREATE INDEX notification_sending_sent ON notification_sending (channel, sent_at);

-- The lease to run the pipeline, which one relayer holds.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token BIGINT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  server_started_at TIMESTAMPTZ(6) NOT NULL
);

-- A rebuild of this database from the chains.
CREATE TABLE rebuild (
  id INTEGER PRIMARY KEY DEFAULT 1,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  finished_at TIMESTAMPTZ(3)
);

-- A comparison of the database with the chains (`relayer reconcile`). While one is open, no relayer works.
CREATE TABLE reconciliation (
  id BIGSERIAL PRIMARY KEY,
  reason TEXT NOT NULL,
  began_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  read_at TIMESTAMPTZ(3),
  ended_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX reconciliation_open ON reconciliation ((true)) WHERE ended_at IS NULL;

-- The nonces of the relayer wallet that the database accounts for, and those that nodes show during a reconciliation.
CREATE TABLE wallet_nonce (
  chain_id INTEGER NOT NULL,
  sender TEXT NOT NULL,
  known BIGINT NOT NULL DEFAULT 0,
  read BIGINT NOT NULL DEFAULT 0,
  seen BIGINT NOT NULL DEFAULT 0,
  seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  seen_in_block_of TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (chain_id, sender)
);

-- The deployment whose records the database holds. The first relayer claims it; relayers of other deployments refuse to
-- start.
CREATE TABLE deployment (
  id INTEGER PRIMARY KEY DEFAULT 1,
  environment TEXT NOT NULL,
  ethereum_chain_id INTEGER NOT NULL,
  partner_chain_id INTEGER NOT NULL,
  bridge_lock TEXT NOT NULL,
  bridge_mint TEXT NOT NULL,
  claimed_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);

-- The backups that were restored into a scratch folder, started and read completely.
CREATE TABLE restorable_backup (
  label TEXT PRIMARY KEY,
  taken_at TIMESTAMPTZ(3) NOT NULL,
  checked_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);

-- The oldest program that works with each migration.
CREATE TABLE schema_compatibility (
  migration TEXT PRIMARY KEY,
  oldest_program TEXT NOT NULL
);

--------------------------------------------------------------------------------------------------------------------
-- 3. Invariants, independent of any code
--------------------------------------------------------------------------------------------------------------------

-- Whether a text is lower-case hex of this many bytes. With a quantifier such as {64} instead of the length it takes 20
-- times as long.
CREATE FUNCTION is_hex(value text, bytes int) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN length(value) = 2 + 2 * bytes AND value ~ '^0x[0-9a-f]+$';

ALTER TABLE operation
  ADD CONSTRAINT operation_id_format CHECK (is_hex(id, 32)),
  ADD CONSTRAINT operation_parties_format CHECK (is_hex(sender, 20) AND is_hex(recipient, 20)),
  ADD CONSTRAINT operation_hashes_format CHECK (
    is_hex(origin_tx_hash, 32) AND is_hex(origin_block_hash, 32) AND is_hex(destination_tx_hash, 32)
  ),
  ADD CONSTRAINT operation_amounts CHECK (
    amount > 0 AND fee >= 0
    AND CASE kind WHEN 'TRANSFER' THEN fee = 0 AND output_amount = 0 ELSE output_amount > 0 AND output_amount + fee = amount END
  ),
  ADD CONSTRAINT operation_deposit_is_free CHECK (direction = 'PARTNER_TO_ETHEREUM' OR fee = 0),
  ADD CONSTRAINT operation_kind_fits CHECK (
    (kind = 'TRANSFER' OR (
      (kind = 'DEPOSIT') = (direction = 'ETHEREUM_TO_PARTNER')
      AND (kind IN ('INTENT', 'NATIVE_WITHDRAWAL')) = (direction = 'PARTNER_TO_ETHEREUM' AND asset = 'XCN')))
    AND (kind IN ('INTENT', 'TRANSFER')) = (origin_nonce IS NULL)
  ),
  -- Only a transfer that pays no intent has this failure reason, from the start.
  ADD CONSTRAINT operation_transfer_has_failed CHECK (
    (kind = 'TRANSFER') = (failure_reason IS NOT DISTINCT FROM 'TRANSFER_UNMATCHED')
  ),
  -- A failed operation has a refund, and its origin was final.
  ADD CONSTRAINT operation_failure_has_refund CHECK (
    (failure_reason IS NULL) = (refund_id IS NULL) AND (failure_reason IS NULL OR finalized_at IS NOT NULL)
  ),
  ADD CONSTRAINT operation_origin_is_whole CHECK (
    (origin_tx_hash IS NULL) = (origin_block_number IS NULL) AND (origin_tx_hash IS NULL) = (origin_block_hash IS NULL)
  ),
  ADD CONSTRAINT operation_settlement_is_whole CHECK (
    (status = 'COMPLETED') = (settled_at IS NOT NULL)
    AND (settled_at IS NULL) = (settled_block_number IS NULL)
    AND (settled_at IS NULL OR destination_tx_hash IS NOT NULL)
  ),
  ADD CONSTRAINT operation_failure_has_reason CHECK ((status = 'FAILED') = (failure_reason IS NOT NULL)),
  ADD CONSTRAINT operation_delay_has_beginning CHECK ((status = 'DELAYED') = (delayed_since IS NOT NULL)),
  ADD CONSTRAINT operation_confirmations CHECK (origin_confirmations >= 0 AND required_confirmations > 0),
  ADD CONSTRAINT operation_quoted_end CHECK (quoted_completion_at >= created_at);

-- A record in a terminal state never changes (specification, States and transitions).
CREATE FUNCTION refuse_change_of_terminal_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'operation % is %, a terminal status: it cannot change', OLD.id, OLD.status
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER terminal_operation_is_frozen
  BEFORE UPDATE OR DELETE ON operation
  FOR EACH ROW WHEN (OLD.status IN ('COMPLETED', 'FAILED', 'EXPIRED'))
  EXECUTE FUNCTION refuse_change_of_terminal_operation();

-- The terms of an operation are fixed when it begins.
CREATE FUNCTION refuse_change_of_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the terms of operation % cannot change', OLD.id USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER operation_terms_are_fixed
  BEFORE UPDATE ON operation
  FOR EACH ROW WHEN (
    (OLD.id, OLD.kind, OLD.direction, OLD.asset, OLD.amount, OLD.fee, OLD.output_amount, OLD.sender, OLD.recipient,
     OLD.origin_chain_id, OLD.destination_chain_id, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.kind, NEW.direction, NEW.asset, NEW.amount, NEW.fee, NEW.output_amount, NEW.sender, NEW.recipient,
     NEW.origin_chain_id, NEW.destination_chain_id, NEW.created_at)
  )
  EXECUTE FUNCTION refuse_change_of_terms();
CREATE TRIGGER operation_quoted_end_is_fixed
  BEFORE UPDATE ON operation
  FOR EACH ROW WHEN (OLD.quoted_completion_at IS DISTINCT FROM NEW.quoted_completion_at)
  EXECUTE FUNCTION refuse_change_of_terms();

-- Stores when the relayer first saw the origin of a held withdrawal as final, by this database's clock. The hold must
-- pass by this clock as well as by the chain's. An existing value is overwritten, so that a writer of pending intents
-- cannot choose the time.
CREATE FUNCTION begin_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.final_since := now();
  RETURN NEW;
END
$$;
CREATE TRIGGER operation_hold_begins
  BEFORE UPDATE ON operation FOR EACH ROW WHEN (
    NEW.hold_until IS NOT NULL AND NEW.hold_released_at IS NULL
    AND (OLD.hold_until IS NULL OR NEW.final_since IS NULL)
  )
  EXECUTE FUNCTION begin_hold();

-- Keeps each reason of a delay: the operation itself has only the last one.
CREATE FUNCTION keep_operation_delay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE operation_delay SET ended_at = NEW.updated_at WHERE operation_id = NEW.id AND ended_at IS NULL;
  IF NEW.status = 'DELAYED' THEN
    INSERT INTO operation_delay (operation_id, since, reason) VALUES (NEW.id, NEW.updated_at, NEW.delayed_reason)
      ON CONFLICT (operation_id, since) DO UPDATE SET reason = excluded.reason, ended_at = NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER operation_delay_is_kept AFTER UPDATE ON operation FOR EACH ROW
  WHEN ((OLD.status = 'DELAYED' OR NEW.status = 'DELAYED')
    AND (OLD.status IS DISTINCT FROM NEW.status OR OLD.delayed_reason IS DISTINCT FROM NEW.delayed_reason))
  EXECUTE FUNCTION keep_operation_delay();

-- An intent has both nonce and key from its client, or, after a rebuild, neither.
ALTER TABLE intent
  ADD CONSTRAINT intent_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 128),
  ADD CONSTRAINT intent_texts_are_whole CHECK ((nonce IS NULL) = (idempotency_key IS NULL)),
  ADD CONSTRAINT intent_nonce_hash_format CHECK (is_hex(nonce_hash, 32)),
  ADD CONSTRAINT intent_judged_at_block CHECK (judged_at_block >= 0),
  ADD CONSTRAINT intent_relayer_wallet CHECK (is_hex(relayer_wallet, 20)),
  ADD CONSTRAINT intent_rejected_by_format CHECK (is_hex(rejected_by, 32));

CREATE TRIGGER intent_judged_block_is_fixed
  BEFORE UPDATE ON intent
  FOR EACH ROW WHEN (OLD.judged_at_block IS DISTINCT FROM NEW.judged_at_block)
  EXECUTE FUNCTION refuse_change_of_terms();
CREATE TRIGGER intent_relayer_wallet_is_fixed
  BEFORE UPDATE ON intent
  FOR EACH ROW WHEN (OLD.relayer_wallet IS DISTINCT FROM NEW.relayer_wallet)
  EXECUTE FUNCTION refuse_change_of_terms();

-- Chains: a halt has a reason, and only deliveries and reopenings get a verdict.
ALTER TABLE chain_cursor
  ADD CONSTRAINT chain_cursor_halt_has_reason CHECK ((halted_at IS NULL) = (halted_reason IS NULL)),
  ADD CONSTRAINT chain_cursor_deliveries_halt_has_reason
    CHECK ((deliveries_halted_at IS NULL) = (deliveries_halted_reason IS NULL));
ALTER TABLE chain_event ADD CONSTRAINT chain_event_verdict_fits
  CHECK (verdict IS NULL OR name IN ('Mint', 'Release', 'Refunded', 'Reopened', 'IdReopened'));

-- Transfers to the wallet.
ALTER TABLE inbound_transfer
  ADD CONSTRAINT inbound_transfer_amount CHECK (amount > 0),
  ADD CONSTRAINT inbound_transfer_call_index CHECK (call_index >= 0),
  ADD CONSTRAINT inbound_transfer_memo_format CHECK (is_hex(memo, 32)),
  -- Only native XCN is swept into the float.
  ADD CONSTRAINT inbound_transfer_use CHECK (asset = 'XCN' OR sweep_id IS NULL);
ALTER TABLE dust ADD CONSTRAINT dust_amount CHECK (amount > 0 AND transfers > 0);

-- The wallet's journal: a call keeps its nonce and its terms, and ends once it is final.
ALTER TABLE wallet_call
  ADD CONSTRAINT wallet_call_formats CHECK (is_hex(sender, 20) AND nonce >= 0 AND value >= 0),
  ADD CONSTRAINT wallet_call_purpose_fits CHECK (
    (purpose = 'RETIREMENT') = (retirement_id IS NOT NULL) AND (purpose = 'SWEEP') = (sweep_id IS NOT NULL)
    AND (purpose = 'REFUND') = (refund_id IS NOT NULL)
  ),
  ADD CONSTRAINT wallet_call_end CHECK (
    (state = 'PENDING') = (ended_at IS NULL)
    AND (state IN ('SUCCEEDED', 'REVERTED', 'CANCELLED')) = (tx_hash IS NOT NULL)
    AND (tx_hash IS NULL) = (block_number IS NULL) AND (tx_hash IS NULL) = (block_hash IS NULL)
  );

CREATE FUNCTION refuse_change_of_journal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the journal is immutable: this change of % is not allowed', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Whether retention can remove a call: a delivery or nonce gap of known outcome that ended 30 days ago, and is not the
-- last call of its wallet. See `RetentionRepository`.
CREATE FUNCTION is_retirable(call wallet_call) RETURNS boolean LANGUAGE sql STABLE
  RETURN call.purpose IN ('DELIVERY', 'NONCE_GAP') AND call.state IN ('SUCCEEDED', 'REVERTED', 'CANCELLED')
    AND call.ended_at < now() - interval '30 days'
    AND EXISTS (SELECT 1 FROM wallet_call n WHERE n.chain_id = call.chain_id AND n.sender = call.sender AND n.nonce > call.nonce);

CREATE TRIGGER wallet_call_is_kept
  BEFORE DELETE ON wallet_call FOR EACH ROW WHEN (is_retirable(OLD) IS NOT TRUE) EXECUTE FUNCTION refuse_change_of_journal();
CREATE TRIGGER wallet_call_is_fixed
  BEFORE UPDATE ON wallet_call FOR EACH ROW WHEN (
    (OLD.id, OLD.chain_id, OLD.sender, OLD.nonce, OLD."to", OLD.data, OLD.value, OLD.purpose, OLD.retirement_id, OLD.sweep_id, OLD.refund_id, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.chain_id, NEW.sender, NEW.nonce, NEW."to", NEW.data, NEW.value, NEW.purpose, NEW.retirement_id, NEW.sweep_id, NEW.refund_id, NEW.created_at)
    -- A cancelled call stays cancelled, and an ended call changes only when a reorg removed its transaction.
    OR (OLD.cancelled_at IS NOT NULL AND NEW.cancelled_at IS NULL)
    OR (OLD.state <> 'PENDING' AND NEW.state <> 'PENDING')
  )
  EXECUTE FUNCTION refuse_change_of_journal();

-- Retention empties the bytes of transactions whose call ended 30 days ago, and removes those of removed calls.
CREATE FUNCTION check_signed_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE call wallet_call;
BEGIN
  SELECT * INTO call FROM wallet_call WHERE id = OLD.call_id;
  IF TG_OP = 'DELETE' AND is_retirable(call) THEN RETURN OLD; END IF;
  IF TG_OP = 'UPDATE' AND NEW.raw = '0x' AND call.ended_at < now() - interval '30 days'
    AND to_jsonb(OLD) - 'raw' = to_jsonb(NEW) - 'raw'
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'the journal is immutable: this change of % is not allowed', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER signed_transaction_is_fixed
  BEFORE UPDATE OR DELETE ON signed_transaction FOR EACH ROW EXECUTE FUNCTION check_signed_transaction();

-- An operation joins a pending delivery call, and leaves it only after the call has ended without paying it.
CREATE FUNCTION check_call_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.freed_at IS NULL AND EXISTS (
    SELECT 1 FROM wallet_call c JOIN operation o ON o.destination_chain_id = c.chain_id
    WHERE c.id = NEW.call_id AND c.purpose = 'DELIVERY' AND c.state = 'PENDING' AND c.cancelled_at IS NULL
      AND o.id = NEW.operation_id AND o.status IN ('AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED')
  ) THEN RETURN NEW; END IF;
  IF TG_OP = 'UPDATE' AND OLD.freed_at IS NULL AND NEW.freed_at IS NOT NULL
    AND (OLD.call_id, OLD.operation_id, OLD.position) = (NEW.call_id, NEW.operation_id, NEW.position)
    AND EXISTS (SELECT 1 FROM wallet_call c WHERE c.id = OLD.call_id AND c.state <> 'PENDING')
  THEN RETURN NEW; END IF;
  -- Only with its call, once the operation can never be paid again.
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT 1 FROM wallet_call c JOIN operation o ON o.id = OLD.operation_id
    WHERE c.id = OLD.call_id AND is_retirable(c) AND o.status IN ('COMPLETED', 'FAILED', 'EXPIRED'))
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'operation % cannot join or leave call %', coalesce(NEW.operation_id, OLD.operation_id), coalesce(NEW.call_id, OLD.call_id)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER call_operation_is_checked
  BEFORE INSERT OR UPDATE OR DELETE ON call_operation FOR EACH ROW EXECUTE FUNCTION check_call_operation();

-- The gas fees of the calls of a minute.
CREATE FUNCTION add_up_wallet_fee() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.fee_paid IS NOT NULL THEN
    UPDATE wallet_fee SET fee_paid = fee_paid - OLD.fee_paid
    WHERE chain_id = OLD.chain_id AND sender = OLD.sender AND minute = date_trunc('minute', OLD.ended_at);
  END IF;
  IF NEW.fee_paid IS NOT NULL THEN
    INSERT INTO wallet_fee (chain_id, sender, minute, fee_paid)
    VALUES (NEW.chain_id, NEW.sender, date_trunc('minute', NEW.ended_at), NEW.fee_paid)
    ON CONFLICT (chain_id, sender, minute) DO UPDATE SET fee_paid = wallet_fee.fee_paid + excluded.fee_paid;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER wallet_fee_of_new_call
  AFTER INSERT ON wallet_call FOR EACH ROW WHEN (NEW.fee_paid IS NOT NULL) EXECUTE FUNCTION add_up_wallet_fee();
CREATE TRIGGER wallet_fee_of_changed_call
  AFTER UPDATE ON wallet_call FOR EACH ROW
  WHEN ((OLD.fee_paid, OLD.ended_at) IS DISTINCT FROM (NEW.fee_paid, NEW.ended_at)) EXECUTE FUNCTION add_up_wallet_fee();

-- Transactions that the journal lacks.
ALTER TABLE unjournaled_transaction
  ADD CONSTRAINT unjournaled_transaction_formats CHECK (
    is_hex(sender, 20) AND nonce >= 0 AND is_hex(tx_hash, 32) AND is_hex(token, 20) AND is_hex(recipient, 20)
    AND is_hex(refund_id, 32)
  ),
  -- A transaction that no node returns is listed only with an operator's explanation.
  ADD CONSTRAINT unjournaled_transaction_is_known CHECK (
    (tx_hash IS NULL) = (mined_at IS NULL) AND (tx_hash IS NOT NULL OR explanation IS NOT NULL)
  ),
  ADD CONSTRAINT unjournaled_transaction_payment CHECK (
    (token IS NULL) = (recipient IS NULL) AND (token IS NULL) = (amount IS NULL)
    AND (token IS NULL OR tx_hash IS NOT NULL) AND (refund_id IS NULL OR token IS NOT NULL)
  );

-- Retirements and sweeps.
ALTER TABLE retirement
  ADD CONSTRAINT retirement_amount CHECK (amount > 0),
  ADD CONSTRAINT retirement_asset CHECK (asset <> 'XCN'),
  ADD CONSTRAINT retirement_end CHECK ((state = 'PENDING') = (ended_at IS NULL));
ALTER TABLE sweep
  ADD CONSTRAINT sweep_amount CHECK (amount > 0),
  ADD CONSTRAINT sweep_end CHECK ((state = 'PENDING') = (ended_at IS NULL));

-- An ended retirement never changes. A pending one keeps its chain, asset and amount.
CREATE FUNCTION refuse_change_of_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'retirement % is %: this change is not allowed', OLD.id, OLD.state USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER retirement_is_kept
  BEFORE DELETE ON retirement FOR EACH ROW EXECUTE FUNCTION refuse_change_of_retirement();
CREATE TRIGGER ended_retirement_is_frozen
  BEFORE UPDATE ON retirement FOR EACH ROW WHEN (
    OLD.state <> 'PENDING'
    OR (OLD.id, OLD.chain_id, OLD.asset, OLD.amount, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.chain_id, NEW.asset, NEW.amount, NEW.created_at)
  )
  EXECUTE FUNCTION refuse_change_of_retirement();

-- Only a completed burn of the same token can join a pending retirement. It can leave only a failed one.
CREATE FUNCTION check_retired_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND EXISTS (
    SELECT 1 FROM retirement r JOIN operation o ON o.origin_chain_id = r.chain_id AND o.asset = r.asset
    WHERE r.id = NEW.retirement_id AND r.state = 'PENDING'
      AND o.id = NEW.operation_id AND o.kind = 'BURN' AND o.status = 'COMPLETED'
  ) THEN RETURN NEW; END IF;
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM retirement r WHERE r.id = OLD.retirement_id AND r.state = 'FAILED')
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'operation % cannot join or leave the retirement', coalesce(NEW.operation_id, OLD.operation_id)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER retired_operation_is_checked
  BEFORE INSERT OR UPDATE OR DELETE ON retired_operation FOR EACH ROW EXECUTE FUNCTION check_retired_operation();

-- The amount of a retirement is the sum of its operations.
CREATE FUNCTION check_retirement_amount() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE handed_in numeric;
BEGIN
  SELECT coalesce(sum(o.amount), 0) INTO handed_in
  FROM retired_operation t JOIN operation o ON o.id = t.operation_id WHERE t.retirement_id = NEW.id;
  IF handed_in = NEW.amount OR EXISTS (SELECT 1 FROM retirement r WHERE r.id = NEW.id AND r.state = 'FAILED') THEN RETURN NULL; END IF;
  RAISE EXCEPTION 'retirement % has the amount %, but its operations add up to %', NEW.id, NEW.amount, handed_in
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE CONSTRAINT TRIGGER retirement_is_of_its_operations
  AFTER INSERT ON retirement DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION check_retirement_amount();

-- A burn is in a retirement or in unretired_burn, never in both.
CREATE FUNCTION keep_unretired_burn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'operation' THEN
    INSERT INTO unretired_burn (operation_id, chain_id, asset) VALUES (NEW.id, NEW.origin_chain_id, NEW.asset);
  ELSIF TG_OP = 'INSERT' THEN
    DELETE FROM unretired_burn WHERE operation_id = NEW.operation_id;
  ELSE
    INSERT INTO unretired_burn (operation_id, chain_id, asset)
    SELECT o.id, o.origin_chain_id, o.asset FROM operation o WHERE o.id = OLD.operation_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER burn_is_unretired
  AFTER INSERT ON operation FOR EACH ROW WHEN (NEW.kind = 'BURN') EXECUTE FUNCTION keep_unretired_burn();
CREATE TRIGGER retired_operation_moves
  AFTER INSERT OR DELETE ON retired_operation FOR EACH ROW EXECUTE FUNCTION keep_unretired_burn();

-- A refund pays the amount of its transfer, once.
ALTER TABLE refund
  ADD CONSTRAINT refund_formats CHECK (is_hex(id, 32) AND is_hex(payer, 20) AND is_hex(wallet, 20) AND is_hex(recipient, 20) AND is_hex(tx_hash, 32)),
  ADD CONSTRAINT refund_amount CHECK (amount > 0),
  ADD CONSTRAINT refund_approval CHECK (status IN ('REQUESTED', 'REFUSED') OR recipient IS NOT NULL),
  ADD CONSTRAINT refund_payment CHECK (
    (status IN ('PENDING', 'COMPLETED')) = (paid_amount IS NOT NULL)
    AND (paid_amount IS NULL) = (gas_fee IS NULL) AND (paid_amount IS NULL) = (dust IS NULL)
    AND (paid_amount IS NULL) = (tx_hash IS NULL)
    AND (paid_amount IS NULL OR (paid_amount > 0 AND gas_fee >= 0 AND dust >= 0 AND paid_amount + gas_fee + dust = amount))
  ),
  ADD CONSTRAINT refund_end CHECK ((status = 'COMPLETED') = (settled_at IS NOT NULL)),
  ADD CONSTRAINT refund_approved_by_format CHECK (is_hex(approved_by, 32));

CREATE FUNCTION refuse_change_of_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'refund % is %: this change is not allowed', OLD.id, OLD.status USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER refund_is_kept BEFORE DELETE ON refund FOR EACH ROW EXECUTE FUNCTION refuse_change_of_refund();
CREATE TRIGGER refund_is_fixed
  BEFORE UPDATE ON refund FOR EACH ROW WHEN (
    (OLD.id, OLD.operation_id, OLD.chain_id, OLD.asset, OLD.wallet, OLD.payer, OLD.amount, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.operation_id, NEW.chain_id, NEW.asset, NEW.wallet, NEW.payer, NEW.amount, NEW.created_at)
    OR NOT CASE OLD.status
      WHEN 'REQUESTED' THEN NEW.status IN ('REQUESTED', 'APPROVED', 'REFUSED')
      WHEN 'APPROVED' THEN NEW.status IN ('APPROVED', 'PENDING', 'REFUSED')
      WHEN 'PENDING' THEN NEW.status IN ('PENDING', 'APPROVED', 'COMPLETED')
      ELSE false
    END
    -- The terms of a signed payment are fixed, whichever of its transactions is mined.
    OR (OLD.status = 'PENDING' AND NEW.status <> 'APPROVED'
      AND (OLD.recipient, OLD.paid_amount, OLD.gas_fee, OLD.dust) IS DISTINCT FROM (NEW.recipient, NEW.paid_amount, NEW.gas_fee, NEW.dust))
  )
  EXECUTE FUNCTION refuse_change_of_refund();

-- The answers of attesters.
ALTER TABLE attester_answer
  ADD CONSTRAINT attester_answer_formats CHECK (is_hex(subject_id, 32) AND is_hex(attester, 20)),
  ADD CONSTRAINT attester_answer_has_its_time CHECK ((verdict IS NULL) = (answered_at IS NULL)),
  ADD CONSTRAINT attester_answer_reason CHECK (
    CASE WHEN verdict = 'REFUSE' THEN reason ~ '^[A-Z_]{1,40}$' ELSE reason IS NULL END IS TRUE),
  ADD CONSTRAINT attester_answer_why CHECK (
    CASE WHEN verdict IN ('NOT_YET', 'REFUSE') THEN length(why) <= 500 ELSE why IS NULL END IS TRUE);

-- Statements of the reserves.
ALTER TABLE reserves_statement
  ADD CONSTRAINT reserves_statement_formats CHECK (
    is_hex(digest, 32) AND is_hex(previous, 32) AND is_hex(ethereum_hash, 32) AND is_hex(partner_hash, 32));

-- A request begins open, its signed terms are fixed, and it ends once.
ALTER TABLE admin_request
  ADD CONSTRAINT admin_request_formats CHECK (is_hex(id, 32) AND is_hex(version, 32) AND is_hex(requested_by, 20) AND approvals_needed >= 0),
  ADD CONSTRAINT admin_request_end CHECK (
    (state IN ('AWAITING_APPROVAL', 'QUEUED')) = (ended_at IS NULL) AND (ended_at IS NULL) = (outcome IS NULL)
  );
ALTER TABLE admin_approval ADD CONSTRAINT admin_approval_formats CHECK (is_hex(operator, 20) AND is_hex(signature, 65));

CREATE FUNCTION refuse_change_of_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'request %: this change of % is not allowed', OLD.id, OLD.state USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Whether retention can remove a request: it ended 30 days ago, and no open refund or intent relies on it.
CREATE FUNCTION is_retirable(request admin_request) RETURNS boolean LANGUAGE sql STABLE
  RETURN request.ended_at < now() - interval '30 days'
    AND NOT EXISTS (SELECT 1 FROM refund r
      WHERE r.approved_by = request.id AND r.status IN ('REQUESTED', 'APPROVED', 'PENDING'))
    AND NOT EXISTS (SELECT 1 FROM intent i JOIN operation o ON o.id = i.id
      WHERE i.rejected_by = request.id AND i.rejected_by IS NOT NULL AND o.status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED'));

CREATE TRIGGER admin_request_is_kept BEFORE DELETE ON admin_request FOR EACH ROW WHEN (is_retirable(OLD) IS NOT TRUE)
  EXECUTE FUNCTION refuse_change_of_request();
CREATE TRIGGER admin_request_is_fixed
  BEFORE UPDATE ON admin_request FOR EACH ROW WHEN (
    (OLD.id, OLD.terms, OLD.reason, OLD.version, OLD.decided_on, OLD.requested_by, OLD.approvals_needed, OLD.valid_until, OLD.created_at)
    IS DISTINCT FROM
    (NEW.id, NEW.terms, NEW.reason, NEW.version, NEW.decided_on, NEW.requested_by, NEW.approvals_needed, NEW.valid_until, NEW.created_at)
    OR NOT CASE OLD.state
      WHEN 'AWAITING_APPROVAL' THEN NEW.state IN ('AWAITING_APPROVAL', 'QUEUED', 'REFUSED', 'EXPIRED')
      WHEN 'QUEUED' THEN NEW.state IN ('QUEUED', 'DONE', 'REFUSED', 'EXPIRED')
      ELSE false
    END
  )
  EXECUTE FUNCTION refuse_change_of_request();

CREATE FUNCTION check_new_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'request % cannot begin as %', NEW.id, NEW.state USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_request_begins_open
  BEFORE INSERT ON admin_request FOR EACH ROW WHEN (NEW.state NOT IN ('AWAITING_APPROVAL', 'QUEUED'))
  EXECUTE FUNCTION check_new_request();

CREATE FUNCTION check_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND EXISTS (SELECT 1 FROM admin_request r WHERE r.id = NEW.request_id AND r.state = 'AWAITING_APPROVAL')
  THEN RETURN NEW; END IF;
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM admin_request r WHERE r.id = OLD.request_id AND is_retirable(r))
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the approvals of request % cannot change', coalesce(NEW.request_id, OLD.request_id)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_approval_is_fixed
  BEFORE INSERT OR UPDATE OR DELETE ON admin_approval FOR EACH ROW EXECUTE FUNCTION check_approval();

-- The admin API.
ALTER TABLE admin_session ADD CONSTRAINT admin_session_formats CHECK (
  is_hex(token_hash, 32) AND is_hex(address, 20) AND char_length(user_agent) <= 200
);
ALTER TABLE admin_member ADD CONSTRAINT admin_member_formats CHECK (is_hex(address, 20) AND is_hex(request_id, 32));
ALTER TABLE admin_nonce_key ADD CONSTRAINT admin_nonce_key_is_one CHECK (id = 1 AND octet_length(key) = 32);

-- The audit log is append-only. Each row continues the previous one. Retention removes its beginning once a later row
-- names the last removed one.
ALTER TABLE admin_audit ADD CONSTRAINT admin_audit_formats CHECK (
  is_hex(actor, 20) AND is_hex(tx_hash, 32) AND is_hex(previous_hash, 32) AND is_hex(hash, 32)
  AND action ~ '^[a-z][a-z-]{0,39}$'
);

CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only: % is not allowed', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_audit_is_kept
  BEFORE UPDATE ON admin_audit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();

CREATE FUNCTION check_removal_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.at < now() - interval '30 days'
    AND OLD.sequence <= (SELECT (after ->> 'sequence')::bigint FROM admin_audit WHERE action = 'retire-audit' ORDER BY sequence DESC LIMIT 1)
  THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the audit log is append-only: % is not allowed', TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER admin_audit_is_removed_in_order
  BEFORE DELETE ON admin_audit FOR EACH ROW EXECUTE FUNCTION check_removal_of_audit();
CREATE TRIGGER admin_audit_is_not_emptied
  BEFORE TRUNCATE ON admin_audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();

CREATE FUNCTION check_order_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE head record;
BEGIN
  SELECT sequence, hash INTO head FROM admin_audit ORDER BY sequence DESC LIMIT 1;
  IF NEW.sequence = coalesce(head.sequence, 0) + 1 AND NEW.previous_hash = coalesce(head.hash, '0x' || repeat('0', 64))
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'row % of the audit log does not continue row %', NEW.sequence, coalesce(head.sequence, 0)
    USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER admin_audit_is_in_order
  BEFORE INSERT ON admin_audit FOR EACH ROW EXECUTE FUNCTION check_order_of_audit();

-- A notification stays 30 days after its end.
CREATE FUNCTION refuse_removal_of_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'notification % has not ended 30 days ago', OLD.id USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER notification_is_kept BEFORE DELETE ON notification FOR EACH ROW
  WHEN ((OLD.ended_at < now() - interval '30 days') IS NOT TRUE) EXECUTE FUNCTION refuse_removal_of_notification();

-- Balance differences, the outbox, and single-row tables.
ALTER TABLE balance_difference ADD CONSTRAINT balance_difference_is_one CHECK (amount <> 0);
ALTER TABLE notification
  ADD CONSTRAINT notification_code_format CHECK (code ~ '^[A-Z][A-Za-z]{1,39}$'),
  ADD CONSTRAINT notification_event_has_ended CHECK (NOT is_event OR ended_at IS NOT NULL);
ALTER TABLE rebuild ADD CONSTRAINT rebuild_is_one CHECK (id = 1);
ALTER TABLE wallet_nonce ADD CONSTRAINT wallet_nonce_formats CHECK (is_hex(sender, 20) AND known >= 0 AND read >= 0 AND seen >= 0);
ALTER TABLE deployment
  ADD CONSTRAINT deployment_is_one CHECK (id = 1),
  ADD CONSTRAINT deployment_formats CHECK (is_hex(bridge_lock, 20) AND is_hex(bridge_mint, 20));
-- A migration works with the program that ships it.
ALTER TABLE schema_compatibility
  ADD CONSTRAINT schema_compatibility_serves_its_program CHECK (oldest_program COLLATE "C" <= migration);

--------------------------------------------------------------------------------------------------------------------
-- 4. Notifications: pg_notify for programs, an outbox for people
--------------------------------------------------------------------------------------------------------------------

-- The transaction that last wrote an operation, and a notification at its commit, for followers of operations.
CREATE FUNCTION number_change_of_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END
$$;

CREATE TRIGGER operation_change_is_numbered
  BEFORE INSERT OR UPDATE ON operation FOR EACH ROW EXECUTE FUNCTION number_change_of_operation();

CREATE FUNCTION notify_of_operations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('causeway_operations', 'changed');
  RETURN NULL;
END
$$;

CREATE TRIGGER operation_change_is_notified
  AFTER INSERT OR UPDATE ON operation FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();

-- The same for other things that the console watches. Cursor progress and lease renewals are not announced.
CREATE TRIGGER admin_request_is_notified
  AFTER INSERT OR UPDATE ON admin_request FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER admin_approval_is_notified
  AFTER INSERT ON admin_approval FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER admin_audit_is_notified
  AFTER INSERT ON admin_audit FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER refund_change_is_notified
  AFTER INSERT OR UPDATE ON refund FOR EACH STATEMENT EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER halt_is_notified
  AFTER UPDATE ON chain_cursor FOR EACH ROW
  WHEN ((OLD.halted_at, OLD.deliveries_halted_at) IS DISTINCT FROM (NEW.halted_at, NEW.deliveries_halted_at))
  EXECUTE FUNCTION notify_of_operations();
CREATE TRIGGER lease_change_is_notified
  AFTER UPDATE ON lease FOR EACH ROW WHEN (OLD.token <> NEW.token OR NEW.expires_at = '-infinity')
  EXECUTE FUNCTION notify_of_operations();

-- Begins a cause, or counts a repetition. Locks the open row, so that no other transaction ends it concurrently.
CREATE FUNCTION begin_notification(of_code text, of_severity "NotificationSeverity", of_subject text, of_text text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification (code, severity, subject, text) VALUES (of_code, of_severity, of_subject, of_text)
    ON CONFLICT (code, subject) WHERE ended_at IS NULL DO UPDATE SET repeats = notification.repeats + 1;
END
$$;

CREATE FUNCTION end_notification(of_code text, of_subject text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notification SET ended_at = now() WHERE code = of_code AND subject = of_subject AND ended_at IS NULL;
END
$$;

-- Several rows can share a notification. The caller checks for the others under this lock in a separate statement, so
-- that it sees rows committed while this one waited.
CREATE FUNCTION lock_notification(of_code text, of_subject text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM notification WHERE code = of_code AND subject = of_subject AND ended_at IS NULL FOR UPDATE;
END
$$;

CREATE FUNCTION notify_of_halt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.halted_at IS NOT NULL AND NEW.halted_at IS DISTINCT FROM OLD.halted_at THEN
    PERFORM begin_notification('Halted', 'critical', NEW.chain_id::text, format('Chain %s is halted: %s', NEW.chain_id, NEW.halted_reason));
  ELSIF NEW.halted_at IS NULL AND OLD.halted_at IS NOT NULL THEN
    PERFORM end_notification('Halted', NEW.chain_id::text);
  END IF;
  -- Every chain stores the halt of the deliveries, so the second chain's row repeats the notification.
  IF NEW.deliveries_halted_at IS NOT NULL AND NEW.deliveries_halted_at IS DISTINCT FROM OLD.deliveries_halted_at THEN
    PERFORM begin_notification('Halted', 'critical', 'deliveries', format('The deliveries are halted: %s', NEW.deliveries_halted_reason));
  ELSIF NEW.deliveries_halted_at IS NULL AND OLD.deliveries_halted_at IS NOT NULL THEN
    PERFORM end_notification('Halted', 'deliveries');
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.verdict = 'UNKNOWN' THEN
    PERFORM begin_notification('UnknownDelivery', 'critical', NEW.chain_id::text, format(
      '%s %s in %s on chain %s %s', NEW.name, NEW.operation_id, NEW.tx_hash, NEW.chain_id,
      CASE WHEN NEW.name IN ('Reopened', 'IdReopened') THEN 'reopens what was paid' ELSE 'matches no operation or refund' END));
  ELSE
    PERFORM lock_notification('UnknownDelivery', OLD.chain_id::text);
    IF NOT EXISTS (SELECT 1 FROM chain_event WHERE verdict = 'UNKNOWN' AND chain_id = OLD.chain_id) THEN
      PERFORM end_notification('UnknownDelivery', OLD.chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_used_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'DELAYED' AND NEW.delayed_reason = 'NUMBER_USED_UP' THEN
    PERFORM begin_notification('NumberUsedUp', 'critical', NEW.destination_chain_id::text, format(
      'A final delivery on chain %s with other terms used up the number of operation %s', NEW.destination_chain_id, NEW.id));
  ELSE
    PERFORM lock_notification('NumberUsedUp', NEW.destination_chain_id::text);
    IF NOT EXISTS (
      SELECT 1 FROM operation
      WHERE status = 'DELAYED' AND delayed_reason = 'NUMBER_USED_UP' AND destination_chain_id = NEW.destination_chain_id)
    THEN
      PERFORM end_notification('NumberUsedUp', NEW.destination_chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_difference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM begin_notification('BalanceUnexplained', 'warning', NEW.chain_id::text, format(
      'The wallet on chain %s has an unexplained balance difference in block %s', NEW.chain_id, NEW.block_number));
  ELSE
    PERFORM lock_notification('BalanceUnexplained', OLD.chain_id::text);
    IF NOT EXISTS (SELECT 1 FROM balance_difference WHERE chain_id = OLD.chain_id AND explanation IS NULL) THEN
      PERFORM end_notification('BalanceUnexplained', OLD.chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM begin_notification('UnnamedPayment', 'warning', NEW.chain_id::text, format(
      'The wallet paid on chain %s with nonce %s, and the journal does not contain the payment', NEW.chain_id, NEW.nonce));
  ELSE
    PERFORM lock_notification('UnnamedPayment', OLD.chain_id::text);
    IF NOT EXISTS (
      SELECT 1 FROM unjournaled_transaction
      WHERE chain_id = OLD.chain_id AND recipient IS NOT NULL AND refund_id IS NULL AND explanation IS NULL)
    THEN
      PERFORM end_notification('UnnamedPayment', OLD.chain_id::text);
    END IF;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM end_notification('ApprovalsWait', NEW.id);
  -- A request that needs no second signature is queued in the transaction that creates it.
  ELSIF EXISTS (SELECT 1 FROM admin_request WHERE id = NEW.id AND state = 'AWAITING_APPROVAL') THEN
    PERFORM begin_notification('ApprovalsWait', 'info', NEW.id, format(
      'The request %s of %s waits for signatures until %s', NEW.terms ->> 'kind', NEW.requested_by,
      to_char(NEW.valid_until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')));
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION notify_of_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM begin_notification('RefundsWait', 'info', 'refunds', format('Refund %s waits for operators', NEW.id));
  ELSE
    PERFORM lock_notification('RefundsWait', 'refunds');
    IF NOT EXISTS (SELECT 1 FROM refund WHERE status = 'REQUESTED') THEN
      PERFORM end_notification('RefundsWait', 'refunds');
    END IF;
  END IF;
  RETURN NULL;
END
$$;

-- A change of members has no end, so each one is an event with its own row.
CREATE FUNCTION notify_of_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notification (code, severity, subject, text, is_event, ended_at) VALUES (
    'MembersChanged', 'warning', coalesce(NEW.address, OLD.address),
    CASE WHEN TG_OP = 'DELETE' THEN format('%s is no longer a member of the console', OLD.address)
      ELSE format('%s is a member of the console with the role %s', NEW.address, NEW.role) END,
    true, now());
  RETURN NULL;
END
$$;

-- The triggers run at the commit, so that the locks of notifications come after all others. They run as the owner of
-- the tables, so that a missing right on the outbox cannot prevent a halt.
DO $$
DECLARE function_name text;
BEGIN
  FOREACH function_name IN ARRAY ARRAY['notify_of_halt', 'notify_of_verdict', 'notify_of_used_number', 'notify_of_difference',
    'notify_of_payment', 'notify_of_request', 'notify_of_refund', 'notify_of_member']
  LOOP
    EXECUTE format('ALTER FUNCTION %I() SECURITY DEFINER SET search_path = %s, pg_temp', function_name, current_setting('search_path'));
  END LOOP;
END
$$;

CREATE CONSTRAINT TRIGGER halt_is_put_in_outbox AFTER UPDATE ON chain_cursor DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.halted_at IS DISTINCT FROM NEW.halted_at OR OLD.deliveries_halted_at IS DISTINCT FROM NEW.deliveries_halted_at)
  EXECUTE FUNCTION notify_of_halt();
CREATE CONSTRAINT TRIGGER verdict_is_put_in_outbox AFTER UPDATE ON chain_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.verdict IS DISTINCT FROM NEW.verdict AND (OLD.verdict = 'UNKNOWN' OR NEW.verdict = 'UNKNOWN'))
  EXECUTE FUNCTION notify_of_verdict();
CREATE CONSTRAINT TRIGGER lost_verdict_is_put_in_outbox AFTER DELETE ON chain_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.verdict = 'UNKNOWN') EXECUTE FUNCTION notify_of_verdict();
CREATE CONSTRAINT TRIGGER used_number_is_put_in_outbox AFTER UPDATE ON operation DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.status = 'DELAYED' AND OLD.delayed_reason = 'NUMBER_USED_UP') IS DISTINCT FROM
    (NEW.status = 'DELAYED' AND NEW.delayed_reason = 'NUMBER_USED_UP'))
  EXECUTE FUNCTION notify_of_used_number();
CREATE CONSTRAINT TRIGGER difference_is_put_in_outbox AFTER INSERT ON balance_difference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.explanation IS NULL) EXECUTE FUNCTION notify_of_difference();
CREATE CONSTRAINT TRIGGER explanation_is_put_in_outbox AFTER UPDATE ON balance_difference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.explanation IS NULL AND NEW.explanation IS NOT NULL) EXECUTE FUNCTION notify_of_difference();
CREATE CONSTRAINT TRIGGER lost_difference_is_put_in_outbox AFTER DELETE ON balance_difference DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.explanation IS NULL) EXECUTE FUNCTION notify_of_difference();
CREATE CONSTRAINT TRIGGER payment_is_put_in_outbox AFTER INSERT ON unjournaled_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.recipient IS NOT NULL AND NEW.refund_id IS NULL AND NEW.explanation IS NULL) EXECUTE FUNCTION notify_of_payment();
CREATE CONSTRAINT TRIGGER payment_name_is_put_in_outbox AFTER UPDATE ON unjournaled_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.refund_id IS NULL AND OLD.explanation IS NULL AND (NEW.refund_id IS NOT NULL OR NEW.explanation IS NOT NULL))
  EXECUTE FUNCTION notify_of_payment();
CREATE CONSTRAINT TRIGGER request_is_put_in_outbox AFTER INSERT ON admin_request DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.state = 'AWAITING_APPROVAL') EXECUTE FUNCTION notify_of_request();
CREATE CONSTRAINT TRIGGER request_end_is_put_in_outbox AFTER UPDATE ON admin_request DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.state = 'AWAITING_APPROVAL' AND NEW.state <> 'AWAITING_APPROVAL') EXECUTE FUNCTION notify_of_request();
CREATE CONSTRAINT TRIGGER refund_is_put_in_outbox AFTER INSERT ON refund DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.status = 'REQUESTED') EXECUTE FUNCTION notify_of_refund();
CREATE CONSTRAINT TRIGGER refund_decision_is_put_in_outbox AFTER UPDATE ON refund DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.status = 'REQUESTED' AND NEW.status <> 'REQUESTED') EXECUTE FUNCTION notify_of_refund();
CREATE CONSTRAINT TRIGGER member_is_put_in_outbox AFTER INSERT OR DELETE ON admin_member DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION notify_of_member();
CREATE CONSTRAINT TRIGGER role_is_put_in_outbox AFTER UPDATE ON admin_member DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.role IS DISTINCT FROM NEW.role) EXECUTE FUNCTION notify_of_member();

--------------------------------------------------------------------------------------------------------------------
-- 5. Restricted writers
--------------------------------------------------------------------------------------------------------------------

-- A login without UPDATE on the whole table is restricted: the API inserts only pending intents and changes no
-- operation; it queues requests, and can end one only after it expired. Its UPDATE on single columns exists for row
-- locks.
CREATE FUNCTION refuse_restricted_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the role % has no right to this change of %.%', current_user, TG_TABLE_NAME, NEW.id
    USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER operation_begins_as_pending_intent
  BEFORE INSERT ON operation FOR EACH ROW WHEN (
    NOT (
      NEW.kind = 'INTENT' AND NEW.status = 'PENDING_ORIGIN_TX' AND NEW.origin_confirmations = 0 AND NEW.attempts = 0
      AND ROW (
        NEW.origin_tx_hash, NEW.origin_log_index, NEW.origin_block_number, NEW.origin_block_hash, NEW.finalized_at,
        NEW.hold_until, NEW.hold_released_at, NEW.delayed_reason, NEW.next_attempt_at, NEW.destination_tx_hash,
        NEW.settled_at, NEW.failure_reason, NEW.expired_at
      ) IS NULL
    )
    AND NOT has_table_privilege(current_user, 'operation'::regclass, 'UPDATE')
  )
  EXECUTE FUNCTION refuse_restricted_writer();
CREATE TRIGGER operation_is_changed_by_its_writer
  BEFORE UPDATE ON operation FOR EACH ROW
  WHEN (NOT has_table_privilege(current_user, 'operation'::regclass, 'UPDATE'))
  EXECUTE FUNCTION refuse_restricted_writer();

-- A minute of tolerance for clock differences.
CREATE TRIGGER admin_request_is_ended_by_its_writer
  BEFORE UPDATE ON admin_request FOR EACH ROW WHEN (
    NEW.state NOT IN ('AWAITING_APPROVAL', 'QUEUED')
    AND NOT (NEW.state = 'EXPIRED' AND OLD.valid_until < now() + interval '1 minute')
    AND NOT has_table_privilege(current_user, 'admin_request'::regclass, 'UPDATE')
  )
  EXECUTE FUNCTION refuse_restricted_writer();

-- The login of backups has no right to a table, so it notes a checked backup with the rights of the owner.
CREATE FUNCTION note_restorable_backup(backup_label text, backup_taken_at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO restorable_backup (label, taken_at) VALUES (backup_label, backup_taken_at)
    ON CONFLICT (label) DO UPDATE SET checked_at = now()
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION note_restorable_backup SECURITY DEFINER SET search_path = %s, pg_temp', current_setting('search_path'));
END
$$;

INSERT INTO schema_compatibility (migration, oldest_program) VALUES
  ('20261122000000_init', '20261122000000_init');
