import {
  concatHex,
  encodeDeployData,
  getContractAddress,
  getCreate2Address,
  isAddressEqual,
  zeroHash,
  type Address,
} from 'viem';
import { bridgeFactoryAbi } from '../../generated/abi.js';
import { bridgeFactoryBytecode } from '../../generated/bytecode.js';
import { bridgeFactoryCode } from '../../generated/deployed-code.js';
import type { DeployTarget } from '../deploy-target.js';
import { sendAndWait } from '../send-and-wait.js';
import { matchesCode } from '../verify/matches-code.js';
import { DETERMINISTIC_PROXY, ensureDeterministicProxy } from './deterministic-proxy.js';

/** How far back an interrupted run is looked for: it sends less than ten transactions. */
const RECENT_TRANSACTIONS = 100;

/** Where the factory is on every chain that takes the deterministic-deployment proxy. */
export const FACTORY_ADDRESS: Address = getCreate2Address({
  from: DETERMINISTIC_PROXY,
  salt: zeroHash,
  bytecode: bridgeFactoryBytecode,
});

/**
 * Finds the factory, or puts it on the chain.
 *
 * @param known an address from the configuration, for a chain that refuses the deterministic-deployment proxy.
 * @returns its address.
 * @throws Error when the code there is another.
 */
export async function ensureFactory(
  target: DeployTarget,
  known: Address | undefined,
  step: (step: string) => void,
): Promise<Address> {
  const address = known ?? FACTORY_ADDRESS;
  const { client } = target;
  if (known === undefined && !(await client.getCode({ address }))) {
    if (!(await ensureDeterministicProxy(target))) return (await earlierFactory(target)) ?? deployFactory(target, step);
    await sendAndWait(target, 'Deploying the factory', {
      to: DETERMINISTIC_PROXY,
      data: concatHex([zeroHash, bridgeFactoryBytecode]),
    });
  }
  if (!matchesCode(await client.getCode({ address }), bridgeFactoryCode)) {
    throw new Error(`The code at ${address} is not the factory's`);
  }
  return address;
}

/** Finds the factory that an interrupted run of the same deployer left. */
async function earlierFactory({ wallet, client }: DeployTarget): Promise<Address | undefined> {
  const from = wallet.account.address;
  const used = await client.getTransactionCount({ address: from });
  for (let nonce = Math.max(0, used - RECENT_TRANSACTIONS); nonce < used; nonce++) {
    const address = getContractAddress({ from, nonce: BigInt(nonce) });
    if (matchesCode(await client.getCode({ address }), bridgeFactoryCode)) return address.toLowerCase() as Address;
  }
  return undefined;
}

async function deployFactory({ wallet, client }: DeployTarget, step: (step: string) => void): Promise<Address> {
  const data = encodeDeployData({ abi: bridgeFactoryAbi, bytecode: bridgeFactoryBytecode });
  const hash = await wallet.sendTransaction({ data });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  const address = contractAddress?.toLowerCase() as Address | undefined;
  if (!address || isAddressEqual(address, FACTORY_ADDRESS)) throw new Error(`Deploying the factory failed in ${hash}`);
  step(`chain ${wallet.chain.id} refuses the deterministic-deployment proxy: its factory is ${address}`);
  step('put that into the configuration as its factory, to deploy there again from other transaction numbers');
  return address;
}
