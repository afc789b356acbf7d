/**
 * SQLSTATE classes and codes after which the same request may succeed: connection failures, too few resources, a server
 * that shuts down or starts, a PostgreSQL standby that became the server, and limits of time (see `SESSION_LIMITS`).
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
/** Prisma: not reachable, timeouts, connection closed, no connection or transaction in time, a deadlock. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034']);
/** Errors of the driver `pg` without a code, and the kinds of Prisma's adapter. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)|^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections|TransactionWriteConflict)$/;

/**
 * Whether a failed query says nothing about itself: the database was away, full, slow or restarting, and the same query
 * may succeed a moment later. False for a query that the database judged.
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
