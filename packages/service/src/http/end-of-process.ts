/** Why a process ends: a signal, or the end of its parent. */
export type EndCause = 'signal' | 'orphan';

/**
 * Calls a function once when this process has to end: at SIGTERM, SIGINT, SIGHUP, or the end of the parent that forked
 * it. A second SIGTERM or SIGINT ends it immediately; SIGHUP does not, because a closing terminal sends it twice.
 *
 * @param onHangUp called at SIGHUP instead.
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
  // The parent may have ended during startup.
  if (process.send !== undefined && !process.connected) begin('orphan');
}
