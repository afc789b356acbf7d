import type { Hex } from 'viem';
import { askNode, isQuantity, readChainId, readNewestBlock, type NewestBlock } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';

/** The account and chain of a wallet, read from its own node. */
export interface AccountState {
  readonly chainId: number;
  readonly block: NewestBlock;
  /** Balance of the coin, in wei. */
  readonly balance: bigint;
  /** True for a contract; false for an EOA that delegates to one (EIP-7702). */
  readonly isContract: boolean;
}

const DELEGATION = /^0xef0100[\da-f]{40}$/i;

/**
 * Reads the account with three requests, or four for a wallet that may be a contract.
 *
 * @param wallet of {@link limitReads}.
 * @throws WalletFailedError
 */
export async function readAccount(wallet: Wallet): Promise<AccountState> {
  const { account, keepsNonce } = wallet;
  const isText = (answer: unknown) => typeof answer === 'string';
  const [chainId, block, balance, code] = await Promise.all([
    readChainId(wallet),
    readNewestBlock(wallet),
    askNode(wallet, 'eth_getBalance', [account, 'latest'], isQuantity),
    keepsNonce ? '0x' : askNode(wallet, 'eth_getCode', [account, 'latest'], isText),
  ]);
  return {
    chainId,
    block,
    balance: BigInt(balance as Hex),
    isContract: code !== '0x' && !DELEGATION.test(code as Hex),
  };
}
