import type { ConfigResponse } from '@causeway/protocol';
import { describeAmount, type Token } from '../amount.js';
import type { Wallet } from '../wallet/wallet.js';
import type { AccountState } from './account-state.js';
import { describeChain } from '../chain-name.js';
import { WrongNetworkError } from '../errors.js';
import type { Finding } from '../finding.js';
import { boundGasPrice, getUnit, findInGas, sumGasLimits } from './gas.js';
import { findRoute, isCoin, makeFinding, type CheckedKind } from './planned-transfer.js';

/** A transfer and its sender's account. */
export interface CheckedAccount {
  readonly config: ConfigResponse;
  readonly kind: CheckedKind;
  /** Token on the origin chain. */
  readonly token: Token;
  /** Atomic units. */
  readonly amount: bigint;
  readonly wallet: Wallet;
  readonly state: AccountState;
  /** In wei of the origin chain's coin. */
  readonly maxGasFee: bigint | undefined;
}

/** Estimates the maximum gas fee in wei; 0 for a contract, whose gas another account pays. */
export function estimateGasFee({ kind, token, state }: Pick<CheckedAccount, 'kind' | 'token' | 'state'>): bigint {
  return state.isContract ? 0n : sumGasLimits(kind, isCoin(token)) * boundGasPrice(state.block.baseFee);
}

/** Finds problems of the wallet and its account: network, signer, balance and gas. Pure. */
export function findInAccount(checked: CheckedAccount): Finding[] {
  const { config, kind, state } = checked;
  const { chainId } = config[findRoute(kind).origin];
  // Other values read on the wrong chain do not count.
  if (state.chainId === chainId) return [...findSigner(checked), ...findFunds(checked), ...findDearGas(checked)];
  const { message, nextStep } = new WrongNetworkError(chainId, state.chainId);
  return [makeFinding('WRONG_NETWORK', 'chainId', { message, nextStep })];
}

/** A contract's call on the partner chain has its value in 8-decimal units. */
function findSigner({ kind, token, wallet, state }: CheckedAccount): Finding[] {
  if (!state.isContract || kind === 'DEPOSIT' || !isCoin(token) || wallet.paysInUnits === true) return [];
  return [
    makeFinding('SENDER_CANNOT_SIGN', 'sender', {
      message:
        `${wallet.account} is a contract. On the partner chain contracts send ${token.token} in units of 10^10 wei, ` +
        'and this wallet sends wei.',
      nextStep: 'Choose an account that is not a smart account.',
    }),
  ];
}

/** Wallets with a confirmation window choose the fee themselves. */
function findDearGas(checked: CheckedAccount): Finding[] {
  const { kind, wallet, maxGasFee } = checked;
  return wallet.keepsNonce ? findInGas({ side: findRoute(kind).origin, fee: estimateGasFee(checked), maxGasFee }) : [];
}

function findFunds(checked: CheckedAccount): Finding[] {
  const { config, kind, token, amount, wallet, state } = checked;
  const { balance } = state;
  const sent = isCoin(token) ? amount : 0n;
  const gas = estimateGasFee(checked);
  if (balance >= sent + gas) return [];
  const { origin } = findRoute(kind);
  const coin = getUnit(origin);
  const [held, taken] = [describeAmount(coin, balance, 'down'), describeAmount(coin, sent)];
  const isTooLow = balance < sent;
  return [
    makeFinding(isTooLow ? 'BALANCE_TOO_LOW' : 'GAS_TOO_LOW', isTooLow ? 'amount' : 'sender', {
      // The price of gas is an estimate.
      severity: isTooLow ? 'blocking' : 'acceptable',
      message:
        `${wallet.account} has ${held} on ${describeChain(config[origin].chainId)}, ` +
        `and the transfer takes ${taken} and up to ${describeAmount(coin, gas, 'up')} for gas.`,
      nextStep: 'Add funds to the account, or choose a lower amount.',
    }),
  ];
}
