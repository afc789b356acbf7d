import { keccak256, stringToBytes, type Hex } from 'viem';
import { canonicalJson } from '../canonical-json.js';
import { isTerminal, type OperationStatus } from '../operations.js';
import type { RequestSnapshot } from './request-snapshot.js';

// Without schemas, because the console loads this file and its content security policy forbids zod's test for `eval`.

/** Hashes the state that a request is decided on: keccak256 of its canonical JSON. */
export function computeVersion(snapshot: RequestSnapshot): Hex {
  return keccak256(stringToBytes(canonicalJson(snapshot)));
}

/** Returns whether an intent with this status can still fail. */
export function canIntentFail(status: OperationStatus): boolean {
  return !isTerminal(status) && status !== 'PROCESSING_DESTINATION';
}
