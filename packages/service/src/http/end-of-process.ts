/** Why a process ends: by a signal, or after the process that forked it. */
export type EndCause = 'signal' | 'orphan';

/**
 * Calls a function once, when this process is to end: at SIGTERM, SIGINT, SIGHUP, or the end of the process that forked
 * it. A second SIGTERM or SIGINT ends it immediately. SIGHUP comes twice when a terminal closes.
 *
 * @param onHangUp is called at SIGHUP instead.
 */
export function onEnd(end: (cause: EndCause) => void, onHangUp?: () => void): void {
  let hasBegun = false;
  const begin = (cause: EndCause) => {
    if (hasBegun) return;
    hasBegun = true;
    end(cause);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => (hasBegun ? process.exit(1) : begin('signal')));
  process.on('SIGHUP', onHangUp ?? (() => begin('signal')));
  process.once('disconnect', () => begin('orphan'));
  // The parent may have ended during the start.
  if (process.send !== undefined && !process.connected) begin('orphan');
}
