/** The times of faults and their consequences. */
export class Timeline {
  private readonly startedAtMs = performance.now();
  private readonly lines: string[] = [];
  private readonly print: (line: string) => void;

  /** @param print receives progress lines. */
  constructor(print: (line: string) => void) {
    this.print = print;
  }

  /** Records an entry, printed only after a failure. */
  note(what: string): void {
    this.lines.push(this.line(what));
  }

  /** Records an entry and prints it. */
  announce(what: string): void {
    this.note(what);
    this.print(this.line(what));
  }

  story(): string {
    return this.lines.join('\n');
  }

  private line(what: string): string {
    return `${((performance.now() - this.startedAtMs) / 1_000).toFixed(1).padStart(7)} s  ${what}`;
  }
}
