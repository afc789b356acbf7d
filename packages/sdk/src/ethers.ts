// The entry point `@causeway/sdk/ethers`. Only this entry needs ethers, an optional peer dependency.
import type { ConfigResponse } from '@causeway/protocol';
import { BridgeLock__factory, BridgeMint__factory, type BridgeLock, type BridgeMint } from '@causeway/protocol/ethers';
import type { BaseWallet, JsonRpcApiProvider, JsonRpcSigner, Signer } from 'ethers';
import type { Address, Hex } from 'viem';
import { InvalidInputError } from './errors.js';
import type { UnpreparedTransaction, Wallet, WalletTypedData } from './wallet/wallet.js';

/**
 * Creates a wallet from an ethers 6 signer. Its provider must be a JSON-RPC provider.
 *
 * @example
 * ```ts
 * const wallet = await fromEthers(new Wallet(privateKey, new JsonRpcProvider(url)));
 * await deposit(bridge, wallet, { asset: 'ETH', amount: '0.5', recipient });
 * ```
 */
export async function fromEthers(signer: Signer): Promise<Wallet> {
  const { provider } = signer as { provider: Partial<JsonRpcApiProvider> | null };
  if (typeof provider?.send !== 'function')
    throw new InvalidInputError('signer', 'must have a JSON-RPC provider, such as JsonRpcProvider or BrowserProvider');
  const send = provider.send.bind(provider);
  // Wallets with a key sign locally, with the given nonce.
  const isKey = typeof (signer as Partial<BaseWallet>).signingKey === 'object';
  return {
    account: (await signer.getAddress()) as Address,
    keepsNonce: isKey,
    ...(isKey ? { prepareTransaction: async (transaction) => prepareTransaction(signer, transaction) } : {}),
    request: async (method, params = []) => send(method, [...params]) as Promise<unknown>,
    sendTransaction: async ({ gas, ...rest }) => {
      const transaction = { ...rest, gasLimit: gas };
      const { sendUncheckedTransaction } = signer as Partial<JsonRpcSigner>;
      // `sendTransaction` of a wallet with a window waits, possibly forever, until its node has the transaction.
      if (sendUncheckedTransaction !== undefined)
        return (await sendUncheckedTransaction.call(signer, transaction)) as Hex;
      return (await signer.sendTransaction(transaction)).hash as Hex;
    },
    signTypedData: async ({ domain, types, message }: WalletTypedData) => {
      const fields = Object.entries(types).map(([name, list]) => [name, list.map((each) => ({ ...each }))] as const);
      return (await signer.signTypedData({ ...domain }, Object.fromEntries(fields), { ...message })) as Hex;
    },
  };
}

async function prepareTransaction(signer: Signer, transaction: UnpreparedTransaction) {
  const prepared = await signer.populateTransaction(transaction);
  const { gasLimit, nonce, maxFeePerGas: most, maxPriorityFeePerGas: tip, gasPrice } = prepared;
  const hasFees = typeof most === 'bigint' && typeof tip === 'bigint';
  return {
    ...transaction,
    gas: BigInt(gasLimit ?? 0),
    nonce: nonce ?? 0,
    // Without fees, ethers would query the node again after they were checked.
    ...(hasFees ? { maxFeePerGas: most, maxPriorityFeePerGas: tip } : { gasPrice: BigInt(gasPrice ?? 0) }),
  };
}

/** Connects to the bridge's contracts, typed by TypeChain, for calls other than transfers. */
export function connectContracts(
  config: ConfigResponse,
  signers: { readonly ethereum: Signer; readonly partner: Signer },
): { readonly bridgeLock: BridgeLock; readonly bridgeMint: BridgeMint } {
  return {
    bridgeLock: BridgeLock__factory.connect(config.ethereum.bridgeLock, signers.ethereum),
    bridgeMint: BridgeMint__factory.connect(config.partner.bridgeMint, signers.partner),
  };
}
