import { describePart, reportHealth, type HealthChecks, type HealthReport } from '@causeway/service/http';
import type { ExchangeSession } from './exchange/exchange-session.js';
import type { AttestRecord } from './record/attest-record.js';

/** Far above the 20 seconds within which every request to an exchange ends. */
const HUNG_MS = 300_000;

/** The parts that the health report covers. */
interface ObservedParts {
  readonly sessions: readonly Pick<ExchangeSession, 'obstacle' | 'lastTurnMs'>[];
  readonly record: Pick<AttestRecord, 'isUsable'>;
  /** Why nothing is signed at present; null when signing works. */
  readonly findObstacle: () => string | null;
  readonly now: () => number;
}

/** The attester's health. One answering exchange is enough: the others can belong to passive relayers. */
export class AttesterHealth implements HealthChecks {
  constructor(private readonly parts: ObservedParts) {}

  live(): HealthReport {
    const { sessions, now } = this.parts;
    const isHung = sessions.some(({ lastTurnMs }) => now() - lastTurnMs > HUNG_MS);
    return reportHealth({ work: describePart(isHung ? 'no exchange request has ended recently' : null) });
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
