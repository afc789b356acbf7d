import { bridgeErrorsAbi } from '@causeway/protocol/abi';
import { decodeErrorResult, type Hex } from 'viem';
import { walkCauses } from '../causes.js';
import { ContractError, WalletFailedError } from '../errors.js';

/** Contract errors that time or another amount resolves, with the next step. */
const NEXT_STEPS: Readonly<Record<string, { readonly nextStep: string; readonly helps?: true }>> = {
  Paused: { nextStep: 'Transfers of this direction are paused. Try again later.', helps: true },
  BelowMinimum: { nextStep: 'Choose a higher amount.' },
  AboveMaximum: { nextStep: 'Choose a lower amount.' },
  FeeAboveMaximum: { nextStep: 'The fee has changed. Begin a new transfer.' },
  InvalidRecipient: { nextStep: 'Choose another recipient: this one is an address of the bridge.' },
  TokenNotAllowed: { nextStep: 'The bridge does not accept this token at present.' },
  NothingToPay: { nextStep: 'There is no credit to claim.' },
};

/** Classifies a failed estimate: a contract error, or a failure of the wallet or node. */
export function toContractError(error: unknown, words: string): ContractError | WalletFailedError {
  const data = findRevertData(error);
  if (data === null) return error instanceof WalletFailedError ? error : new WalletFailedError(words, error);
  const errorName = decodeName(data);
  const { nextStep = 'Check balance and allowance of the sender.', helps = false } = NEXT_STEPS[errorName ?? ''] ?? {};
  const named = errorName === null ? '' : ` with ${errorName}`;
  return new ContractError(errorName, `${words}: the contract refuses it${named}`, {
    cause: error,
    nextStep,
    retry: { helps },
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
