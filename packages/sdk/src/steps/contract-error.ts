import { bridgeErrorsAbi } from '@causeway/protocol/abi';
import { decodeErrorResult, type Hex } from 'viem';
import { walkCauses } from '../causes.js';
import { ContractError, WalletFailedError } from '../errors.js';

/** Next steps by contract error. */
const NEXT_STEPS: Readonly<Partial<Record<string, string>>> = {
  Paused: 'Transfers of this direction are paused. Try again later.',
  BelowMinimum: 'Choose a higher amount.',
  AboveMaximum: 'Choose a lower amount.',
  FeeAboveMaximum: 'The fee has changed. Begin a new transfer.',
  InvalidRecipient: 'Enter another recipient: this one is an address of the bridge.',
  TokenNotAllowed: 'Choose another asset: the bridge does not accept this one at present.',
  NothingToPay: 'There is nothing left to claim.',
};
const CHECK_FUNDS = 'Check that the account has the amount and the fee for gas, then try again.';

/** Classifies a failed estimate: a contract error, or a failure of the wallet or node. */
export function toContractError(error: unknown, words: string): ContractError | WalletFailedError {
  const data = findRevertData(error);
  if (data === null) return error instanceof WalletFailedError ? error : new WalletFailedError(words, error);
  const errorName = decodeName(data);
  const named = errorName === null ? '' : ` with ${errorName}`;
  return new ContractError(errorName, `${words}: the contract refuses it${named}`, {
    cause: error,
    nextStep: NEXT_STEPS[errorName ?? ''] ?? CHECK_FUNDS,
  });
}

function decodeName(data: Hex): string | null {
  try {
    return decodeErrorResult({ abi: bridgeErrorsAbi, data }).errorName;
  } catch {
    return null;
  }
}

/** Finds revert data in any form of libraries and nodes; null if nothing reverted. */
function findRevertData(error: unknown): Hex | null {
  for (const { data, code } of walkCauses(error)) {
    const inner = typeof data === 'object' && data !== null ? (data as { data?: unknown }).data : data;
    if (typeof inner === 'string' && /^0x([0-9a-f]{2})*$/i.test(inner)) return inner as Hex;
    // Execution reverted, without data.
    if (code === 3) return '0x';
  }
  return null;
}
