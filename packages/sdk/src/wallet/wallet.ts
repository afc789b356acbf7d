import type { Address, Hex } from 'viem';

/** A transaction before its gas limit is known. `value` in wei. */
export interface UnpreparedTransaction {
  readonly chainId: number;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  /** Only for wallets that keep it. */
  readonly nonce?: number;
}

/** A transaction to be signed and sent by the account of a wallet. */
export interface WalletTransaction extends UnpreparedTransaction {
  readonly gas: bigint;
  /** Fees in wei per gas, only of wallets that prepare transactions. */
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  /** In place of the other two, on chains without a base fee. */
  readonly gasPrice?: bigint;
}

/** Typed data of EIP-712, without the type of its domain. */
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
 * A wallet of one account, and the node that it uses. viem's wallet clients, EIP-1193 providers and ethers' signers all
 * become one.
 */
export interface Wallet {
  readonly account: Address;
  /**
   * Whether the wallet sends with the nonce that it is given, as keys do. Then a second sending with the same nonce can
   * never be a second transfer. Wallets with a window of their own choose the nonce themselves.
   */
  readonly keepsNonce: boolean;
  /**
   * Of a smart account: that it divides the value of a call on the partner chain by 10^10, as its own call takes units.
   * Without it, such an account cannot send XCN.
   */
  readonly paysInUnits?: boolean;
  /** A request of JSON-RPC to the node or the wallet. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /**
   * Of a wallet that keeps the nonce and fills in nonce, gas limit and fees with fewer requests than one for each. A
   * nonce that is given stays.
   */
  prepareTransaction?(transaction: UnpreparedTransaction): Promise<WalletTransaction & { readonly nonce: number }>;
  sendTransaction(transaction: WalletTransaction): Promise<Hex>;
  signTypedData(typedData: WalletTypedData): Promise<Hex>;
}
