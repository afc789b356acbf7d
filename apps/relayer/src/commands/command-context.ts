import type { Operation } from '@causeway/store';
import { isHash, type Hex } from 'viem';
import type { Infrastructure } from '../infrastructure.js';

/** The resources of an operator's command. `print` writes one line to standard output. */
export interface CommandContext extends Omit<Infrastructure, 'logger'> {
  readonly print: (line: string) => void;
}

/** The command refuses to act. The message says why, and what to do. */
export class CommandRefusedError extends Error {
  override readonly name = 'CommandRefusedError';
  readonly docsPath = 'operate/reference.md#commands-of-the-relayer';
}

/** Parses an operation id. Null when the text is not 32 bytes of hex. */
export function parseOperationId(text: string): Operation['id'] | null {
  return isHash(text) ? (text.toLowerCase() as Hex) : null;
}
