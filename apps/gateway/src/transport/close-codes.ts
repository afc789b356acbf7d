/** Why the gateway ends a WebSocket (RFC 6455 section 7.4.1 and its registry). */
export const CLOSE_CODES = {
  /** The gateway is shutting down. */
  GOING_AWAY: 1001,
  /** A message is no UTF-8. */
  INVALID_DATA: 1007,
  /** The client reads too slowly. */
  TRY_AGAIN_LATER: 1013,
} as const;
