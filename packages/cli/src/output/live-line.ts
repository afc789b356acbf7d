import { clearLine, cursorTo } from 'node:readline';
import type { Streams } from './printer.js';

/**
 * A line that is redrawn on a terminal. Without a terminal, a new line is printed only when the topic changes.
 */
export class LiveLine {
  private topic: string | undefined;

  constructor(
    private readonly stream: Streams['errors'],
    private readonly write: (text: string) => void,
  ) {}

  show(topic: string, text: string): void {
    const isSame = topic === this.topic;
    if (this.stream.isTTY === true) {
      if (isSame) this.erase();
    } else if (isSame) return;
    this.topic = topic;
    this.write(text);
  }

  /** Keeps the shown line: the next one does not replace it. */
  keep(): void {
    this.topic = undefined;
  }

  /** A line wider than the terminal wraps; then only its last row is erased. */
  private erase(): void {
    this.stream.write('\u001B[1A');
    clearLine(this.stream, 0);
    cursorTo(this.stream, 0);
  }
}
