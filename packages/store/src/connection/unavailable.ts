/**
 * SQLSTATE classes and codes after which a retry can succeed: connection failures, too few resources, a server that
 * shuts down or starts, a failover to a read-only standby, deadlocks, and timeouts (see `SESSION_LIMITS`).
 */
const PASSING_STATES = /^(08...|53...|57P0[1-5]|57014|55P03|40001|40P01|25P03|25P04|25006)$/;
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Prisma: unreachable, timeouts, connection closed, no connection or transaction in time, a deadlock. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034']);
/** Errors of the driver `pg` that have no code, and the error kinds of Prisma's adapter. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)|^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections|TransactionWriteConflict)$/;

/**
 * Whether a query failed because the database was unavailable, full, slow or restarting, so that a retry can succeed.
 * False when the database rejected the query itself.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, originalCode, kind, message, cause, errors, meta } = error as Record<string, unknown>;
  const isPassing = [code, originalCode].some(
    (text) =>
      typeof text === 'string' && (PASSING_STATES.test(text) || NETWORK_CODES.has(text) || PRISMA_CODES.has(text)),
  );
  if (isPassing || [kind, message].some((text) => typeof text === 'string' && DRIVER_MESSAGES.test(text))) return true;
  const inner = [cause, (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError];
  return [...inner, ...(Array.isArray(errors) ? errors : [])].some(isDatabaseUnavailable);
}
