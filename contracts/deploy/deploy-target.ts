import type { Account, Chain, PublicClient, Transport, WalletClient } from 'viem';

/** One chain to deploy on: a wallet that pays, and a client that reads. */
export interface DeployTarget {
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly client: PublicClient;
}
