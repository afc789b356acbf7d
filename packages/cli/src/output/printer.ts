import pico from 'picocolors';
import { describeFailure } from './failure.js';
import type { Exit } from './exit-codes.js';

/** Where a command reads and writes. */
export interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

export type Tone = 'plain' | 'good' | 'warning' | 'bad' | 'faint';

/** Rows of cells, with or without titles. */
export interface CellTable {
  readonly head?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table or a paragraph. */
export type Block = CellTable | { readonly text: string; readonly tone?: Tone };

/** Control characters other than line breaks and tabs. Texts of an API could use them to overwrite earlier lines. */
const CONTROL = /(?![\n\t])\p{Cc}/gu;

/**
 * Writes for a person or for a program. With `--json`, standard output has JSON only, one object a line. Otherwise it
 * has the answer, and progress goes to standard error.
 */
export class Printer {
  constructor(
    private readonly streams: Streams,
    readonly isJson: boolean,
    private readonly mayColor: boolean,
    /** Base of links: see `linkToDocs`. */
    private readonly docsUrl?: string,
  ) {}

  /** Prints the answer of a command. */
  async result(value: unknown, blocks: () => readonly Block[]): Promise<void> {
    if (this.isJson) this.streams.output.write(`${toJson(value)}\n`);
    else await this.answer(...blocks());
  }

  /** Prints the answer for a person; with `--json`, its objects were printed before. */
  async answer(...blocks: readonly Block[]): Promise<void> {
    const { output } = this.streams;
    if (!this.isJson) output.write(`${await this.render(blocks, output)}\n`);
  }

  /** Prints one of several objects, with `--json` only. */
  event(value: object): void {
    if (this.isJson) this.streams.output.write(`${toJson(value)}\n`);
  }

  /** Shows a person progress, terms or warnings. */
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
    // Loaded here, since output for programs does not need it.
    const { default: Table } = await import('cli-table3');
    const { bold } = this.choose(stream);
    const table = new Table({
      style: { head: [], border: [] },
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

/** Writes bigints as strings: JSON numbers lose precision. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
}
