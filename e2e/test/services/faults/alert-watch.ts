import { ALERTS, type AlertCode } from '@causeway/protocol/admin';
import { waitUntil } from '@causeway/test-kit';
import type { Fleet } from '@causeway/testbed/services';

/** Divides the durations in deploy/alerts.yml, and time thresholds of a minute or more. */
const FACTOR = 30;
const UNITS = { s: 1, m: 60, h: 3_600 } as const;
const PATIENCE = { timeoutMs: 240_000, intervalMs: 500 };

/**
 * Shortens the durations of alert rules: `for`, ranges of rates, counts of increases over such ranges, and thresholds
 * of ages in seconds. Metrics, labels and other thresholds stay unchanged.
 */
export function shortenRules(rules: string): string {
  const shorten = (count: string, unit: string) =>
    `${Math.ceil((Number(count) * UNITS[unit as keyof typeof UNITS]) / FACTOR)}s`;
  return rules
    .replaceAll(
      /(increase \([^)]*\) > )(\d+)$/gm,
      (_, before: string, count: string) => before + Math.ceil(Number(count) / FACTOR),
    )
    .replaceAll(
      /(for: |\[)(\d+)([smh])/g,
      (_, before: string, count: string, unit: string) => before + shorten(count, unit),
    )
    .replaceAll(
      /(_seconds(?:\{[^}]*\})?\)? > )(\d{3,})/g,
      (_, before: string, count: string) => `${before}${Math.ceil(Number(count) / FACTOR)}`,
    );
}

/** Polls Alertmanager for firing alerts. */
export class AlertWatch {
  /** Alerts that fired at any poll. */
  readonly seen = new Set<AlertCode>();

  constructor(private readonly monitoring: Fleet['monitoring']) {}

  /** Lists the firing alerts, each once, without the one that always fires. */
  async list(): Promise<AlertCode[]> {
    const answer = await fetch(`${this.monitoring.alertmanagerUrl}/api/v2/alerts`);
    const alerts = (await answer.json()) as readonly { readonly labels: { readonly alertname: string } }[];
    const codes = [...new Set(alerts.map(({ labels }) => labels.alertname))].filter(isAlertCode).toSorted();
    for (const code of codes) this.seen.add(code);
    return codes;
  }

  async untilFiring(codes: readonly AlertCode[]): Promise<void> {
    await Promise.all(
      codes.map(async (code) => waitUntil(`${code} fires`, async () => (await this.list()).includes(code), PATIENCE)),
    );
  }

  async untilCleared(codes: readonly AlertCode[]): Promise<void> {
    await Promise.all(
      codes.map(async (code) =>
        waitUntil(`${code} is over`, async () => !(await this.list()).includes(code), PATIENCE),
      ),
    );
  }
}

function isAlertCode(name: string): name is AlertCode {
  return name in ALERTS && name !== 'Watchdog';
}
