import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Values of all series at equal intervals, by series. A missing value means that the series did not exist. */
type Recording = ReadonlyMap<string, readonly (number | undefined)[]>;

/** A recording and the alerts expected during it. */
export interface AlertScenario {
  readonly name: string;
  readonly recording: Recording;
  /** The alerts that fire at certain samples; Watchdog is listed when it does not fire. */
  readonly firing: readonly { readonly atSample: number; readonly alerts: readonly string[] }[];
}

/** A scrape of one process. */
export interface Scrape {
  /** The job of Prometheus, such as `relayer`. */
  readonly job: string;
  /** In Prometheus's text format; empty when the process did not answer. */
  readonly text: string;
}

/** Healthy processes beside those under test, so that no alert fires for missing services. */
export const OTHER_SERVICES: readonly Scrape[] = ['api', 'gateway'].map((job) => ({
  job,
  text: `causeway_ready{service="${job}"} 1`,
}));

/** Records scrapes of the metrics endpoints of one or more instances. */
export class ScrapeRecorder {
  private readonly series = new Map<string, (number | undefined)[]>();
  private count = 0;

  /** @param scrapes one for each process, always in the same order. */
  add(...scrapes: readonly Scrape[]): void {
    scrapes.forEach(({ job, text }, index) => {
      const place = `job="${job}",instance="${job}-${index}"`;
      this.addSample(`up{${place}}`, text === '' ? 0 : 1);
      this.addProcess(place, text);
    });
    this.count += 1;
  }

  private addProcess(place: string, text: string): void {
    for (const line of text.split('\n')) {
      const [, name, labels = '', value] =
        /^((?:causeway|haproxy|node|alertmanager)_\w+)(?:\{([^}]*)\})? (\S+)/.exec(line) ?? [];
      if (name === undefined || value === undefined) continue;
      this.addSample(`${name}{${labels === '' ? '' : `${labels},`}${place}}`, parseNumber(value));
    }
  }

  private addSample(key: string, value: number): void {
    const values = this.series.get(key) ?? [];
    while (values.length < this.count) values.push(undefined);
    values.push(value);
    this.series.set(key, values);
  }

  /** The number of scrapes. */
  get samples(): number {
    return this.count;
  }

  recording(): Recording {
    return this.series;
  }
}

/** promtool's series notation has no infinity. prom-client writes Nan. */
function parseNumber(text: string): number {
  return text === '+Inf' ? 1e12 : Number(text);
}

/** What people are called for: firing alerts, and the absence of the one that always fires. */
const CALLED_FOR =
  'count by (alertname) (ALERTS{alertstate="firing", alertname!="Watchdog"}) > bool 0 ' +
  'or absent (ALERTS{alertname="Watchdog"})';

/**
 * Evaluates alert rules over recordings with Prometheus's `promtool`, which must be installed.
 *
 * @param intervalSeconds interval of samples and evaluations.
 * @returns promtool's output about scenarios with other alerts; an empty text when all match.
 * @throws Error without promtool.
 */
export async function wrongAlerts(
  rulesFile: string,
  intervalSeconds: number,
  scenarios: readonly AlertScenario[],
): Promise<string> {
  const interval = `${intervalSeconds}s`;
  const tests = scenarios.map(({ name, recording, firing }) => ({
    name,
    interval,
    input_series: [...recording].map(([series, values]) => ({
      series,
      values: values.map((value) => (value === undefined ? '_' : String(value))).join(' '),
    })),
    promql_expr_test: firing.map(({ atSample, alerts }) => ({
      expr: CALLED_FOR,
      eval_time: `${atSample * intervalSeconds}s`,
      exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    })),
  }));
  const directory = mkdtempSync(join(tmpdir(), 'causeway-alerts-'));
  const file = join(directory, 'alerts.test.json');
  writeFileSync(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: interval, tests }));
  try {
    return await captureFailure('promtool', ['test', 'rules', file]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Runs a command and returns its output when it fails, else an empty text. */
async function captureFailure(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error === null) return resolve('');
      if (error.code === 'ENOENT')
        return reject(new Error(`These tests need ${command}: apt-get install prometheus`, { cause: error }));
      return resolve(`${stdout}${stderr}`);
    });
  });
}
