import { describePart, reportHealth, type HealthChecks, type HealthReport } from '@causeway/service/http';

/** Far above the time within which every request of a turn ends, even when the chains are read from their start. */
const HUNG_MS = 600_000;
/** A watchtower that has judged nothing for so long does not protect the bridge. */
const BLIND_MS = 60_000;

/** The state of a watch that the health report covers. Times are in epoch milliseconds. */
export interface ObservedWatch {
  /** When the last turn ended, also one that failed. */
  readonly turnedAtMs: number;
  /** When both chains were last judged up to their newest blocks; 0 for never. */
  readonly judgedAtMs: number;
  /** Why the last turn judged nothing; null when it did. */
  readonly obstacle: string | null;
}

/** The watchtower's health: alive while turns end, ready while they judge. */
export class WatchtowerHealth implements HealthChecks {
  constructor(
    private readonly watch: ObservedWatch,
    private readonly now: () => number,
  ) {}

  live(): HealthReport {
    const isHung = this.now() - this.watch.turnedAtMs > HUNG_MS;
    return reportHealth({ work: describePart(isHung ? 'no turn has ended recently' : null) });
  }

  ready(): HealthReport {
    const { judgedAtMs, obstacle } = this.watch;
    const isBlind = this.now() - judgedAtMs > BLIND_MS;
    return reportHealth({ judging: describePart(isBlind ? (obstacle ?? 'the chains are being read') : null) });
  }
}
