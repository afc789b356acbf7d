import type { Address } from 'viem';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import { testUsdcAbi } from '@causeway/protocol/abi';
import type { Anvil } from '@causeway/test-kit';

/** Deploys a token that anyone can mint. */
export async function deployTestToken(anvil: Anvil): Promise<Address> {
  const hash = await anvil.wallet.deployContract({ abi: testUsdcAbi, bytecode: testUsdcBytecode, gas: 5_000_000n });
  await anvil.test.mine({ blocks: 1 });
  const { contractAddress } = await anvil.client.getTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('The token was not deployed');
  return contractAddress;
}
