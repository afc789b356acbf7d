import type { CallContext } from '../methods/method.js';

/**
 * Answers one JSON-RPC message, single or batch, as text to text.
 *
 * Never throws and never rejects: whatever goes wrong is an answer of the error table. `null` means that nothing is to be sent
 * (only notifications).
 */
export interface Dispatcher {
  dispatch(message: string, context: CallContext): Promise<string | null>;
}
