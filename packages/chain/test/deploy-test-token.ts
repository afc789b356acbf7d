import { readFileSync } from 'node:fs';
import type { Address, Hex } from 'viem';
import { testUsdcAbi } from '@causeway/protocol/abi';
import type { Anvil } from '@causeway/test-kit';

/** Deploys a token that anyone may mint. */
export async function deployTestToken(anvil: Anvil): Promise<Address> {
  const artifact = new URL('../../../contracts/artifacts/src/mocks/TestUSDC.sol/TestUSDC.json', import.meta.url);
  const { bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as { bytecode: Hex };
  const hash = await anvil.wallet.deployContract({ abi: testUsdcAbi, bytecode, gas: 5_000_000n });
  await anvil.test.mine({ blocks: 1 });
  const { contractAddress } = await anvil.client.getTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('The token was not deployed');
  return contractAddress;
}
