import type { Abi, Account, Address, Chain, Hex, PublicClient, Transport, WalletClient } from 'viem';

/** One chain to deploy on: a wallet that pays, and a client that reads. */
export interface DeployTarget {
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly client: PublicClient;
}

/** A contract that is on the chain. */
export interface Deployed {
  readonly address: Address;
  readonly blockNumber: bigint;
}

/**
 * Deploys a contract and waits until it is mined.
 *
 * @throws Error when the deployment reverts.
 */
export async function deployContract(
  target: DeployTarget,
  contract: { abi: Abi; bytecode: Hex; args: readonly unknown[] },
): Promise<Deployed> {
  const hash = await target.wallet.deployContract({ ...contract, args: [...contract.args] });
  const receipt = await target.client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  if (receipt.status !== 'success' || !receipt.contractAddress) throw new Error(`The deployment ${hash} reverted`);
  return { address: receipt.contractAddress, blockNumber: receipt.blockNumber };
}
