import type { CallFrame } from './call-frame.js';

/** Whether coin goes with it. A DELEGATECALL shows the value of the call it runs in, and a CALLCODE sends to itself. */
export function isPayment({ type, value }: CallFrame): boolean {
  return value > 0n && type !== 'DELEGATECALL' && type !== 'CALLCODE';
}
