import { keccak256, stringToBytes, type Hex } from 'viem';
import { canonicalJson } from '../canonical-json.js';
import { isTerminal, type OperationStatus } from '../operations.js';
import type { RequestSnapshot } from './request-snapshot.js';

// The console has this file, and must not have the schemas: its content security policy forbids zod's test for `eval`.

/** The hash of what a request is decided on: keccak256 of its canonical JSON. */
export function computeVersion(snapshot: RequestSnapshot): Hex {
  return keccak256(stringToBytes(canonicalJson(snapshot)));
}

/** Whether an intent in this state can still fail. */
export function canIntentFail(status: OperationStatus): boolean {
  return !isTerminal(status) && status !== 'PROCESSING_DESTINATION';
}
