import type { Desk } from './desk.js';

/** Something an operator can do. */
export interface Command {
  readonly name: string;
  /** Names of what follows the command, all required. */
  readonly takes: readonly string[];
  /** Switches by name, with what they do. */
  readonly switches: Readonly<Record<string, string>>;
  readonly summary: string;
  /** @throws CommandRefusedError */
  readonly run: (desk: Desk, given: readonly string[], switches: ReadonlySet<string>) => Promise<void>;
}
