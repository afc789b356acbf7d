import { clearLine, cursorTo } from 'node:readline';

/** A stream for people. */
export type ErrorStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Milliseconds between lines without a terminal. */
const LINE_EVERY_MS = 5_000;

/** Shows progress: a line that is redrawn on a terminal, otherwise one line every few seconds. */
export class Progress {
  private shownAtMs = Date.now();
  private isDrawn = false;

  constructor(
    private readonly stream: ErrorStream,
    private readonly isSilent: boolean,
  ) {}

  show(text: string): void {
    if (this.isSilent) return;
    if (this.stream.isTTY === true) {
      this.clear();
      this.stream.write(text);
      this.isDrawn = true;
    } else if (Date.now() - this.shownAtMs >= LINE_EVERY_MS) {
      this.shownAtMs = Date.now();
      this.stream.write(`${text}\n`);
    }
  }

  clear(): void {
    if (!this.isDrawn) return;
    clearLine(this.stream, 0);
    cursorTo(this.stream, 0);
    this.isDrawn = false;
  }
}
