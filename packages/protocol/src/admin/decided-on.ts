import { keccak256, stringToBytes, type Hex } from 'viem';
import { canonicalJson } from '../canonical-json.js';
import { isTerminal, type OperationStatus } from '../operations.js';
import type { DecidedOn } from './decided-state.js';

/** The hash of what a request is decided on: keccak256 of its canonical JSON. */
export function versionOf(decidedOn: DecidedOn): Hex {
  return keccak256(stringToBytes(canonicalJson(decidedOn)));
}

/** Whether an intent in this state can still fail. */
export function canIntentFail(status: OperationStatus): boolean {
  return !isTerminal(status) && status !== 'PROCESSING_DESTINATION';
}
