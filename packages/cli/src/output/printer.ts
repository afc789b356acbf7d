import pico from 'picocolors';
import { describeFailure } from './failure.js';
import type { Exit } from './exit-codes.js';

/** Where a command reads and writes. */
export interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** The colour of a text. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad' | 'faint';

/** Rows of cells, with or without titles. */
export interface CellTable {
  readonly head?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A part of an answer to a person. */
export type Block = CellTable | { readonly text: string; readonly tone?: Tone };

/** Line breaks and tabs stay. Others could write over the lines before, and some texts come from an API. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * Writes for a person or for a program. With `--json` standard output has JSON only, an object a line; otherwise it has
 * the answer, and everything on the way to it is on standard error.
 */
export class Printer {
  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
    private readonly mayColor: boolean,
    /** Of links: see `linkToDocs`. */
    private readonly docsUrl?: string,
  ) {}

  /** Prints the answer of a command. */
  async result(value: unknown, blocks: () => readonly Block[]): Promise<void> {
    if (this.isJson) this.streams.output.write(`${toJson(value)}\n`);
    else await this.answer(...blocks());
  }

  /** Prints the answer of a command whose objects a program has received already. */
  async answer(...blocks: readonly Block[]): Promise<void> {
    const { output } = this.streams;
    if (!this.isJson) output.write(`${await this.render(blocks, output)}\n`);
  }

  /** Prints one of several objects for a program. */
  event(value: object): void {
    if (this.isJson) this.streams.output.write(`${toJson(value)}\n`);
  }

  /** Shows a person something that is not the answer. */
  async notice(...blocks: readonly Block[]): Promise<void> {
    const { errors } = this.streams;
    if (!this.isJson) errors.write(`${await this.render(blocks, errors)}\n`);
  }

  /** Shows a person one line, without waiting. */
  line(text: string, tone: Tone = 'plain'): void {
    const { errors } = this.streams;
    if (!this.isJson) errors.write(`${this.paint(text, tone, errors)}\n`);
  }

  /** Prints a failure and names its exit code. */
  failure(error: unknown): Exit {
    const { exit, failure } = describeFailure(error, this.docsUrl);
    const { errors } = this.streams;
    if (this.isJson) errors.write(`${toJson(failure)}\n`);
    else {
      errors.write(`${this.paint(`error: ${failure.message}`, 'bad', errors)}\n`);
      if (failure.nextStep !== null) errors.write(`${this.paint(failure.nextStep, 'plain', errors)}\n`);
      if (failure.docs !== null) errors.write(`${this.paint(`Docs: ${failure.docs}`, 'faint', errors)}\n`);
    }
    return exit;
  }

  private async render(blocks: readonly Block[], stream: Streams['output']): Promise<string> {
    const parts: string[] = [];
    for (const block of blocks)
      parts.push(
        'text' in block ? this.paint(block.text, block.tone ?? 'plain', stream) : await this.renderRows(block, stream),
      );
    return parts.join('\n');
  }

  private async renderRows({ head, rows }: CellTable, stream: Streams['output']): Promise<string> {
    // Only people need it.
    const { default: Table } = await import('cli-table3');
    const { bold } = this.choose(stream);
    const table = new Table({
      style: { head: [], border: [] },
      // No lines between the rows.
      chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
      ...(head === undefined ? {} : { head: head.map((title) => bold(title)) }),
    });
    for (const row of rows) table.push(row.map((cell) => cell.replaceAll(CONTROL, '')));
    return table.toString();
  }

  private paint(text: string, tone: Tone, stream: Streams['output']): string {
    const { green, yellow, red, dim } = this.choose(stream);
    const paint = { plain: String, good: green, warning: yellow, bad: red, faint: dim }[tone];
    return paint(text.replaceAll(CONTROL, ''));
  }

  private choose({ isTTY = false }: { readonly isTTY?: boolean }) {
    return pico.createColors(this.mayColor && isTTY);
  }
}

/** Amounts are text: a number of JSON loses units. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
}
