import { cpus } from 'node:os';

/** Prints lines of the benchmark's table. */
export const report = {
  machine(): void {
    const [cpu] = cpus();
    print(`${cpus().length} × ${cpu?.model ?? 'unknown CPU'}, Node ${process.version}`);
  },
  title(text: string): void {
    print(`\n${text}`);
  },
  /** @param goal the least ratio that is wanted, or null. */
  ratio(name: string, baseline: number, measured: number, ratio: number, goal: number | null): void {
    const wanted = goal === null ? '' : `  goal ${goal.toFixed(2)}${ratio >= goal ? '' : '  MISSED'}`;
    print(`  ${name.padEnd(34)}${whole(baseline)} → ${whole(measured)} /s   ratio ${ratio.toFixed(2)}${wanted}`);
  },
  line(name: string, value: string): void {
    print(`  ${name.padEnd(34)}${value}`);
  },
};

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').padStart(9);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
