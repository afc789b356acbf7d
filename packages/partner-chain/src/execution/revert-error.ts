import { bytesToHex } from '@ethereumjs/util';
import { decodeErrorResult, parseAbi } from 'viem';
import { ChainError } from '../errors/chain-error.js';
import type { ExecutionResult } from './execution-result.js';

const STANDARD_ERRORS = parseAbi(['error Error(string)', 'error Panic(uint256)']);

/** The error of an execution that failed, with the contract's own words where it gave any. */
export function revertError(result: ExecutionResult): ChainError {
  const data = bytesToHex(result.returnValue);
  if (result.error !== 'revert') return new ChainError('EXECUTION_REVERTED', result.error ?? 'failed', { data });
  return new ChainError('EXECUTION_REVERTED', reasonOf(data), { data });
}

function reasonOf(data: `0x${string}`): string {
  if (data === '0x') return 'without a reason';
  try {
    const { errorName, args } = decodeErrorResult({ abi: STANDARD_ERRORS, data });
    return errorName === 'Error' ? args[0] : `panic 0x${args[0].toString(16)}`;
  } catch {
    return `with the contract's own error ${data.slice(0, 10)}`;
  }
}
