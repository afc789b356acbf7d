import { describePart, reportHealth, type HealthChecks, type HealthReport } from '@causeway/service/http';
import type { ExchangeSession } from './exchange/exchange-session.js';
import type { AttestRecord } from './record/attest-record.js';

/** A request of an exchange ends within 20 seconds: one that has hung for so much longer does not come back. */
const HUNG_MS = 300_000;

/** The parts whose state is reported. */
interface ObservedParts {
  readonly sessions: readonly Pick<ExchangeSession, 'obstacle' | 'lastTurnMs'>[];
  readonly record: Pick<AttestRecord, 'isUsable'>;
  /** Why nothing is signed now; null when it is. */
  readonly findObstacle: () => string | null;
  readonly now: () => number;
}

/** Whether the attester works. One exchange that answers is enough: the others may be of relayers that wait. */
export class AttesterHealth implements HealthChecks {
  constructor(private readonly parts: ObservedParts) {}

  live(): HealthReport {
    const { sessions, now } = this.parts;
    const isHung = sessions.some(({ lastTurnMs }) => now() - lastTurnMs > HUNG_MS);
    return reportHealth({ work: describePart(isHung ? 'an exchange was not asked lately' : null) });
  }

  ready(): HealthReport {
    const { sessions, record, findObstacle } = this.parts;
    const [first] = sessions;
    const isConnected = sessions.some(({ obstacle }) => obstacle === null);
    return reportHealth({
      exchanges: describePart(isConnected ? null : (first?.obstacle ?? 'there is none')),
      record: describePart(record.isUsable ? null : 'it cannot be written'),
      signing: describePart(findObstacle()),
    });
  }
}
