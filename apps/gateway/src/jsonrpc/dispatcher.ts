import type { CallContext } from '../methods/method.js';
import type { Admit } from './admit.js';

/**
 * Answers one JSON-RPC message, single or batch, as text to text.
 *
 * Never throws and never rejects: whatever goes wrong is an answer of the error table. `null` means that nothing is to be sent
 * (only notifications).
 */
export interface Dispatcher {
  /** @param admit decides how many of the message's calls run; all of them when it is left out. */
  dispatch(message: string, context: CallContext, admit?: Admit): Promise<string | null>;
}
