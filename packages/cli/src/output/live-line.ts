import { clearLine, cursorTo } from 'node:readline';
import type { Streams } from './printer.js';

/**
 * A line that changes in place on a terminal. Elsewhere, such as in a log, only a change of its topic makes a new line.
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

  /** The last line may be longer than the terminal is wide; then only its end is erased. */
  private erase(): void {
    this.stream.write('\u001B[1A');
    clearLine(this.stream, 0);
    cursorTo(this.stream, 0);
  }
}
