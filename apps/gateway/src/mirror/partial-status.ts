import type { CallFrame } from '@causeway/partner-chain';
import type { MirrorErrorBody } from './mirror-error.js';

/** What is said beside the actions of a call tree that was not kept whole, in the form of an error; nothing beside those of a whole one. */
export function partialStatus({ omitted }: CallFrame): MirrorErrorBody | null {
  if (omitted === undefined) return null;
  const message = `Partial content: the call tree was too large to be kept whole, ${omitted} of its messages or their results are missing`;
  return { _status: { messages: [{ message }] } };
}
