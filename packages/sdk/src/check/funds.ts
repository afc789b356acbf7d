import { balanceOfAbi } from '@causeway/protocol/abi';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import type { Token } from '../amount.js';
import { getConfig } from '../api/config.js';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { assertChain } from '../wallet/ask.js';
import { limitReads, readCall } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';
import { estimateGasFee } from './account-findings.js';
import { readAccount } from './account-state.js';
import { findRoute, findToken, isCoin, type PlannedTransfer } from './planned-transfer.js';

/** The funds of an account in an asset. Amounts in atomic units. */
export interface Funds {
  /** On the origin chain. */
  readonly token: Token;
  readonly balance: bigint;
  /** Estimated maximum gas fee of the transfer, in wei of the origin chain's coin. */
  readonly gasFee: bigint;
  /** The highest amount that the account can move, with the gas left if the asset is the coin. */
  readonly most: bigint;
}

/**
 * Reads what an account can move.
 *
 * @param wallet its node is on the origin chain.
 * @throws WrongNetworkError, WalletFailedError; InvalidInputError for an unknown asset; as `getConfig`.
 */
export async function readFunds(
  bridge: Bridge,
  wallet: Wallet,
  { kind, asset }: Pick<PlannedTransfer, 'kind' | 'asset'>,
  options: ReadOptions = {},
): Promise<Funds> {
  const limited = limitReads(wallet, bridge, options);
  const config = await getConfig(bridge, options);
  const token = findToken(config, kind, asset);
  await assertChain(limited, config[findRoute(kind).origin].chainId);
  const [state, held] = await Promise.all([readAccount(limited), readTokenBalance(limited, token)]);
  const gasFee = estimateGasFee({ kind, token, state });
  const balance = held ?? state.balance;
  const free = held === null ? balance - gasFee : balance;
  const most = free > 0n ? free - (free % BigInt(token.granularity)) : 0n;
  return { token, balance, gasFee, most };
}

/** Null for the coin. */
async function readTokenBalance(wallet: Wallet, token: Token): Promise<bigint | null> {
  if (isCoin(token)) return null;
  const call = { abi: balanceOfAbi, functionName: 'balanceOf' } as const;
  const data = await readCall(wallet, token.address, encodeFunctionData({ ...call, args: [wallet.account] }));
  return decodeFunctionResult({ ...call, data });
}
