import { PassThrough } from 'node:stream';
import { runProgram } from '../src/program.js';
import type { Streams } from '../src/output/printer.js';

/** A stream that keeps the text written to it. */
class Kept extends PassThrough {
  text = '';

  constructor(readonly isTTY: boolean) {
    super();
    this.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('utf8');
    });
  }
}

/** The streams of a program: a terminal or pipes. */
export class FakeStreams implements Streams {
  readonly input: PassThrough & { readonly isTTY: boolean };
  readonly output: Kept;
  readonly errors: Kept;

  constructor(isTerminal = false) {
    this.input = Object.assign(new PassThrough(), { isTTY: isTerminal });
    this.output = new Kept(isTerminal);
    this.errors = new Kept(isTerminal);
  }
}

/** How a command ended that ran in this process. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command line in this process, without a terminal. */
export async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  streams: FakeStreams = new FakeStreams(),
): Promise<Ended> {
  const code = await runProgram(words, { env, streams, signal: new AbortController().signal });
  return { code, output: streams.output.text, errors: streams.errors.text };
}
