import { approveAbi, depositAbi, depositNativeAbi } from '@causeway/protocol/abi';
import { createWalletClient, http, publicActions, type Account, type Address, type Chain, type Hex } from 'viem';

/** A deposit by the shortest viem script, for comparison. */
export interface DepositByHand {
  readonly account: Account;
  readonly chain: Chain;
  readonly rpcUrl: string;
  readonly bridgeLock: Address;
  /** Absent for ETH. */
  readonly token?: Address;
  readonly amount: bigint;
  readonly pollMs: number;
}

/** Deposits to the account itself, and returns when the transaction is mined. A token is approved first. */
export async function depositByHand(deposit: DepositByHand): Promise<Hex> {
  const { account, chain, rpcUrl, bridgeLock: address, token, amount, pollMs } = deposit;
  const recipient = account.address;
  const wallet = createWalletClient({ account, chain, transport: http(rpcUrl), pollingInterval: pollMs }).extend(
    publicActions,
  );
  if (token !== undefined) {
    const args = [address, amount] as const;
    const hash = await wallet.writeContract({ address: token, abi: approveAbi, functionName: 'approve', args });
    await wallet.waitForTransactionReceipt({ hash });
  }
  const hash =
    token === undefined
      ? await wallet.writeContract({
          address,
          abi: depositNativeAbi,
          functionName: 'depositNative',
          args: [recipient],
          value: amount,
        })
      : await wallet.writeContract({
          address,
          abi: depositAbi,
          functionName: 'deposit',
          args: [token, amount, recipient],
        });
  await wallet.waitForTransactionReceipt({ hash });
  return hash;
}
