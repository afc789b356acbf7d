import { createWalletClient, custom, numberToHex, type Account, type Address, type Hex, type WalletClient } from 'viem';
import { parseAccount } from '../account.js';
import { InvalidInputError } from '../errors.js';
import type { UnpreparedTransaction, Wallet, WalletTransaction, WalletTypedData } from './wallet.js';

/** Creates a wallet from a viem wallet client. The account can be set on the client or here. */
export function fromViem(client: WalletClient, account?: Account | Address): Wallet {
  const signer = account ?? client.account;
  if (signer === undefined) throw new InvalidInputError('account', 'is missing: the wallet client has none');
  if (typeof signer !== 'string' && signer.type === 'smart')
    throw new InvalidInputError('account', 'is a smart account of viem, which sends no transactions: implement Wallet');
  const askClient = client.request as (call: { method: string; params?: unknown }, options: object) => Promise<unknown>;
  // Flows repeat and report reads themselves. A request that opens a window is not repeated.
  const provider: Provider = { request: async (call) => askClient(call, { retryCount: 0 }) };
  const isKey = typeof signer !== 'string' && signer.type === 'local';
  return {
    account: typeof signer === 'string' ? parseAccount('account', signer) : signer.address,
    keepsNonce: isKey,
    ...(isKey ? { prepareTransaction: async (planned) => prepareTransaction(connect(provider), signer, planned) } : {}),
    request: async (method, params = []) => provider.request({ method, params }),
    sendTransaction: async (transaction: WalletTransaction) =>
      typeof signer !== 'string' && isKey
        ? // The chain is verified before each step; viem would query the node again. Its types allow one form of fees.
          client.sendTransaction({ ...transaction, account: signer, chain: null } as never)
        : askToSend(provider, typeof signer === 'string' ? signer : signer.address, transaction),
    signTypedData: async (typedData: WalletTypedData) => client.signTypedData({ ...typedData, account: signer }),
  };
}

async function prepareTransaction(client: WalletClient, account: Account, transaction: UnpreparedTransaction) {
  const prepared = await client.prepareTransactionRequest({ ...transaction, account, chain: null });
  const { gas, nonce, maxFeePerGas, maxPriorityFeePerGas, gasPrice } = prepared;
  const hasFees = maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined;
  // Without fees, viem would query the node again after they were checked.
  return { ...transaction, gas, nonce, ...(hasFees ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice }) };
}

/** Asks a wallet with a window once. After some errors viem would ask again, by another method. */
async function askToSend(provider: Provider, from: Address, transaction: WalletTransaction): Promise<Hex> {
  const { chainId, to, data, value, gas } = transaction;
  const [hexChainId, hexValue, hexGas] = [numberToHex(chainId), numberToHex(value), numberToHex(gas)];
  const call = { from, to, data, value: hexValue, gas: hexGas, chainId: hexChainId };
  return (await provider.request({ method: 'eth_sendTransaction', params: [call] })) as Hex;
}

/** The required part of EIP-1193. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
}

/** Creates a wallet from an EIP-1193 provider, such as `window.ethereum`, and an account. It opens no window. */
export function fromProvider(provider: Provider, account: Address): Wallet {
  return fromViem(connect(provider), account);
}

function connect(provider: Provider): WalletClient {
  return createWalletClient({ transport: custom(provider, { retryCount: 0 }) });
}
