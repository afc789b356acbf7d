import type { Hex } from 'viem';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { ACCOUNTS } from './accounts.ts';
import { ask } from './ask.ts';

const TRIES = 400;

/** Deploys a token with the last account, the same way on every chain, and answers with its address. */
export async function deployToken(url: string, chainId: number): Promise<Hex> {
  const account = ACCOUNTS.at(-1);
  if (account === undefined) throw new Error('there are no accounts');
  const nonce = Number(await ask(url, 'eth_getTransactionCount', [account.address, 'latest']));
  const raw = await account.signTransaction({
    data: testUsdcBytecode,
    nonce,
    chainId,
    gas: 3_000_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
  const hash = await ask(url, 'eth_sendRawTransaction', [raw]);
  for (let round = 0; round < TRIES; round++) {
    const receipt = (await ask(url, 'eth_getTransactionReceipt', [hash])) as { contractAddress: Hex } | null;
    if (receipt !== null) return receipt.contractAddress;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the token was not deployed');
}
