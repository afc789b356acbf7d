import type { Address, Hex } from 'viem';

/** A transaction without gas limit. `value` in wei. */
export interface UnpreparedTransaction {
  readonly chainId: number;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  /** Only for wallets with `keepsNonce`. */
  readonly nonce?: number;
}

/** A transaction for a wallet's account to sign and send. */
export interface WalletTransaction extends UnpreparedTransaction {
  readonly gas: bigint;
  /** Fees in wei per gas, set only by wallets that prepare transactions. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  /** Replaces the other two on chains without a base fee. */
  readonly gasPrice?: bigint;
}

/** EIP-712 typed data, without the domain type. */
export interface WalletTypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Address;
  };
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/**
 * A wallet with one account and its node. viem's wallet clients, EIP-1193 providers and ethers' signers convert to it.
 */
export interface Wallet {
  readonly account: Address;
  /**
   * True if the wallet uses the given nonce, as keys do. Resending with the same nonce can then never be a second
   * transfer. Wallets with a window choose the nonce themselves.
   */
  readonly keepsNonce: boolean;
  /**
   * True for a smart account that divides the value of a call on the partner chain by 10^10, because its own call has
   * 8-decimal units. Without it, such an account cannot send XCN.
   */
  readonly paysInUnits?: boolean;
  /** Makes a JSON-RPC request to the node or the wallet. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /**
   * Set by a wallet with `keepsNonce` that fills nonce, gas limit and fees in fewer requests than one each. It keeps a
   * given nonce.
   */
  prepareTransaction?(transaction: UnpreparedTransaction): Promise<WalletTransaction & { readonly nonce: number }>;
  sendTransaction(transaction: WalletTransaction): Promise<Hex>;
  signTypedData(typedData: WalletTypedData): Promise<Hex>;
}
