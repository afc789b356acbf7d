import type { DrillName } from './command.ts';

/** The input of a drill. */
export interface DrillInput {
  readonly seed: number;
  /** Receives progress lines. */
  readonly print: (line: string) => void;
}

/** The result of a drill. */
export interface Outcome {
  readonly dataLost: string;
  /** From the loss until every operation that was in flight has ended. */
  readonly minutes: number;
  /** Sentences; empty when all checks pass. */
  readonly problems: readonly string[];
}

/** A part that is destroyed and brought back by its page. */
export interface Drill {
  /** The most data that may be lost. */
  readonly goal: string;
  /** @throws Lack when this machine lacks something that the drill needs. */
  readonly run: (input: DrillInput) => Promise<Outcome>;
}

/** This machine cannot run the drill, which is then skipped. */
export class Lack extends Error {
  override readonly name = 'Lack';
}

/** A line of the drills' table. */
export interface Row {
  readonly drill: DrillName;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly dataLost: string;
  readonly goal: string;
  readonly minutes: string;
  readonly goalMinutes: number;
  readonly problems: readonly string[];
}
