import { hasCode, walkCauses } from '../causes.js';

/**
 * Errors by which wallets report that the user refused. Only the code 4001 is a standard (EIP-1193). The others count
 * for a transaction only if the account's nonces show that none was sent.
 */
const REFUSALS: readonly { readonly code?: number | string; readonly words?: RegExp; readonly wallet: string }[] = [
  { code: 4001, wallet: 'EIP-1193' },
  { code: 4100, wallet: 'EIP-1193: the user has not connected this account' },
  { code: 'ACTION_REJECTED', wallet: 'ethers' },
  { code: 5000, wallet: 'WalletConnect: user rejected' },
  { code: 5002, wallet: 'WalletConnect: user rejected methods' },
  { words: /user (has )?(rejected|denied|cancell?ed|declined|refused)/i, wallet: 'Coinbase, Fireblocks, Trust, Rabby' },
  { words: /(rejected|denied|cancell?ed|declined) by (the )?user/i, wallet: 'SafePal, OKX, Trezor' },
  { words: /request (was )?(rejected|declined)|rejected (the )?request/i, wallet: 'Rainbow, Frame' },
  { words: /0x6985|UserRefusedOnDevice/i, wallet: 'Ledger, also behind MetaMask, with the code -32603' },
  { words: /Failure_ActionCancelled/, wallet: 'Trezor' },
];

/** Refusals of a batch before it has an id (EIP-5792): nothing was sent. */
const REFUSALS_OF_BATCHES = [5700, 5710, 5740, 5750, 5760];

/** Returns whether an error of a wallet says that the user refused, in the words of any known wallet. */
export function isRefusal(error: unknown): boolean {
  for (const { code, message } of walkCauses(error))
    for (const { code: own, words } of REFUSALS)
      if ((own !== undefined && String(own) === String(code)) || words?.test(String(message)) === true) return true;
  return false;
}

/** Returns whether an error is a refusal by a standard, which needs no further evidence. */
export function isStandardRefusal(error: unknown, isBatch = false): boolean {
  return hasCode(error, 4001, ...(isBatch ? REFUSALS_OF_BATCHES : []));
}
