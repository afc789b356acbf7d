/** The times of every fault, and of its consequences. */
export class Timeline {
  private readonly startedAtMs = performance.now();
  private readonly lines: string[] = [];
  private readonly print: (line: string) => void;

  /** @param print receives the lines that people see while they wait. */
  constructor(print: (line: string) => void) {
    this.print = print;
  }

  /** Notes something that only the story of a failure needs. */
  note(what: string): void {
    this.lines.push(this.line(what));
  }

  /** Notes something, and prints it. */
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
