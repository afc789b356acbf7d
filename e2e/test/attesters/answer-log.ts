import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Hex } from 'viem';

/** The reasons why an attester did not sign batches, from its log. */
export class AnswerLog {
  private readonly reasons = new Map<Hex, string>();
  private offset = 0;
  private rest = '';

  constructor(private readonly file: string) {}

  /** Why a digest was not signed; null until it is logged. */
  find(digest: Hex): string | null {
    this.read();
    return this.reasons.get(digest) ?? null;
  }

  private read(): void {
    const file = openSync(this.file, 'r');
    try {
      const piece = Buffer.alloc(fstatSync(file).size - this.offset);
      this.offset += readSync(file, piece, 0, piece.length, this.offset);
      const lines = `${this.rest}${piece.toString('utf8')}`.split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.includes('"not signed"')) continue;
        const { digest, why } = JSON.parse(line) as { readonly digest: Hex; readonly why: string };
        this.reasons.set(digest, why);
      }
    } finally {
      closeSync(file);
    }
  }
}
