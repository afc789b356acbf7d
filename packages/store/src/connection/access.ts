// The rights of each role on each table. `causeway-admin migrate` grants exactly these and revokes all others. The
// owner has all rights; it applies migrations, and no service connects as the owner.

/** The roles with rights on individual tables. */
const TABLE_ROLES = ['causeway_relayer', 'causeway_api', 'causeway_readonly'] as const;

/** The role of backups: it reads settings, begins and ends backups, and has no right to a table. */
export const BACKUP_ROLE = 'causeway_backup';

/** The roles of the database, most privileged first. */
export const ROLES = ['causeway_owner', ...TABLE_ROLES, BACKUP_ROLE] as const;

/** A role with which a program or a person connects. */
export type Role = (typeof ROLES)[number];

export type GrantedRole = (typeof TABLE_ROLES)[number];

/** Rights in the syntax of GRANT, such as `SELECT, UPDATE (state)`; null for none. */
type Rights = string | null;

const READ = 'SELECT';
const ADD = 'SELECT, INSERT';
const KEEP = 'SELECT, INSERT, UPDATE';
const ALL = 'SELECT, INSERT, UPDATE, DELETE';

/** Rights on a table: of the relayer and its commands, of the API, and of read-only users. */
const grant = (relayer: Rights, api: Rights, readonly: Rights): Readonly<Record<GrantedRole, Rights>> => ({
  causeway_relayer: relayer,
  causeway_api: api,
  causeway_readonly: readonly,
});

/** The rights on every table. A comment marks the rights that a trigger limits further. */
export const ACCESS: Readonly<Record<string, Readonly<Record<GrantedRole, Rights>>>> = {
  // The API inserts only pending intents. It never updates a row: UPDATE (updated_at) is there because locking rows
  // needs it.
  operation: grant(ALL, 'SELECT, INSERT, UPDATE (updated_at)', READ),
  operation_delay: grant(ALL, READ, READ),
  attester_answer: grant('SELECT, INSERT, DELETE', READ, READ),
  operation_party: grant(ALL, ALL, READ),
  party_counter: grant(KEEP, KEEP, READ),
  intent: grant(KEEP, 'SELECT, INSERT, UPDATE (proposed_origin_tx_hash, proposed_origin_nonce)', READ),
  chain_cursor: grant(KEEP, READ, READ),
  chain_block: grant(ALL, READ, READ),
  chain_event: grant(ALL, READ, READ),
  reopened_id: grant(ADD, READ, READ),
  inbound_transfer: grant(ALL, READ, READ),
  dust: grant(ALL, null, READ),
  // Triggers let the relayer remove only what has ended, is 30 days old, and cannot be needed by a payment.
  wallet_call: grant(ALL, READ, READ),
  wallet_fee: grant(ALL, READ, READ),
  signed_transaction: grant('SELECT, INSERT, UPDATE (raw), DELETE', READ, READ),
  call_operation: grant(ALL, READ, READ),
  unjournaled_transaction: grant(KEEP, null, READ),
  retirement: grant(KEEP, null, READ),
  retired_operation: grant('SELECT, INSERT, DELETE', null, READ),
  unretired_burn: grant('SELECT, INSERT, DELETE', null, READ),
  sweep: grant(KEEP, null, READ),
  refund: grant(KEEP, READ, READ),
  // The API queues requests, and can end one only after it expired.
  admin_request: grant(ALL, 'SELECT, INSERT, UPDATE (state, outcome, ended_at)', READ),
  admin_approval: grant('SELECT, INSERT, DELETE', ADD, READ),
  admin_member: grant(ALL, READ, READ),
  admin_audit: grant('SELECT, INSERT, DELETE', ADD, READ),
  // The relayer ends the sessions of a removed member.
  admin_session: grant('SELECT (id, address), DELETE', ALL, null),
  admin_nonce: grant(null, 'SELECT, INSERT, DELETE', null),
  admin_nonce_key: grant(null, ADD, null),
  xcn_total: grant('SELECT, INSERT, DELETE', READ, READ),
  reserves_statement: grant(ADD, READ, READ),
  wallet_audit: grant(ALL, null, READ),
  balance_difference: grant(ALL, READ, READ),
  rebuild: grant(KEEP, null, READ),
  reconciliation: grant(KEEP, null, READ),
  wallet_nonce: grant(KEEP, null, READ),
  // Triggers write notifications, as the owner. The relayer removes ended ones.
  notification: grant('SELECT, DELETE', null, READ),
  notification_sending: grant(KEEP, null, READ),
  deployment: grant(ADD, READ, READ),
  // note_restorable_backup writes it, as the owner.
  restorable_backup: grant(READ, READ, READ),
  lease: grant(KEEP, READ, READ),
  schema_compatibility: grant(READ, READ, READ),
  _prisma_migrations: grant(READ, READ, READ),
};

/** Functions that constraints call with the rights of the writer. Trigger functions need no grant. */
export const CALLED_FUNCTIONS = ['is_hex(text, int)', 'is_retirable(wallet_call)', 'is_retirable(admin_request)'];

/** The functions of the login of backups: its own, and those of the server, which only a superuser can grant. */
export const BACKUP_FUNCTION = 'note_restorable_backup(text, timestamptz)';
export const SERVER_BACKUP_FUNCTIONS = [
  'pg_backup_start(text, boolean)',
  'pg_backup_stop(boolean)',
  'pg_create_restore_point(text)',
  'pg_switch_wal()',
];
