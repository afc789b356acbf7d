import { WalletFailedError } from '../errors.js';
import type { Wallet } from '../wallet/wallet.js';

/** The newest block of the wallet's node. `baseFee` in wei. */
export interface NewestBlock {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly baseFee: bigint;
}

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
  const [chainId, block, balance, code] = await Promise.all([
    wallet.request('eth_chainId'),
    wallet.request('eth_getBlockByNumber', ['latest', false]),
    wallet.request('eth_getBalance', [wallet.account, 'latest']),
    wallet.keepsNonce ? '0x' : wallet.request('eth_getCode', [wallet.account, 'latest']),
  ]);
  if (typeof code !== 'string') throw refuseAnswer('eth_getCode', code);
  const { number, timestamp, baseFeePerGas } = (block ?? {}) as Readonly<Record<string, unknown>>;
  return {
    chainId: Number(readQuantity('eth_chainId', chainId)),
    block: {
      number: readQuantity('eth_getBlockByNumber', number),
      timestamp: readQuantity('eth_getBlockByNumber', timestamp),
      baseFee: readQuantity('eth_getBlockByNumber', baseFeePerGas ?? '0x0'),
    },
    balance: readQuantity('eth_getBalance', balance),
    isContract: code !== '0x' && !DELEGATION.test(code),
  };
}

function readQuantity(method: string, value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[\da-f]{1,64}$/i.test(value)) throw refuseAnswer(method, value);
  return BigInt(value);
}

function refuseAnswer(method: string, answer: unknown): WalletFailedError {
  return new WalletFailedError(method, new Error(`malformed answer: ${JSON.stringify(answer)}`));
}
