import {
  BaseError,
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  getContractAddress,
  getCreate2Address,
  isAddressEqual,
  keccak256,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import { bridgeFactoryAbi } from '../generated/abi.js';
import { bridgeFactoryBytecode } from '../generated/bytecode.js';
import { bridgeFactoryCode } from '../generated/deployed-code.js';
import { sendAndWait, type DeployTarget } from './chains.js';
import { matchesCode } from './expect.js';

/** Creation code of the proxy in BridgeFactory. */
const PROXY_CODE: Hex = '0x67363d3d37363d34f03d5260086018f3';

/** An interrupted run sends fewer than ten transactions, so its factory is among the last hundred. */
const RECENT_TRANSACTIONS = 100;

/**
 * The deterministic-deployment proxy (https://github.com/Arachnid/deterministic-deployment-proxy). It runs CREATE2 with
 * a salt and creation code, and has this address on every chain.
 */
export const DETERMINISTIC_PROXY: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c';

/** The transaction that creates the proxy, signed without a chain id by a key that no one has. */
const PROXY_TRANSACTION: Hex =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222';
const PROXY_SIGNER: Address = '0x3fab184622dc19b6109349b94811493bf2a45362';
/** 100,000 gas at the 100 gwei that the transaction offers. */
const PROXY_COST_WEI = 10n ** 16n;
/** Invalid input, transaction rejected, invalid parameters: the codes for a transaction that a node never accepts. */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_000, -32_003, -32_602]);

/** The factory's address on every chain that accepts the deterministic-deployment proxy. */
export const FACTORY_ADDRESS: Address = getCreate2Address({
  from: DETERMINISTIC_PROXY,
  salt: zeroHash,
  bytecode: bridgeFactoryBytecode,
});

/** The address of the contract that `deployer` deploys under `salt`: the factory's `addressOf`, computed offline. */
export function computeSaltAddress(factory: Address, deployer: Address, salt: Hex): Address {
  const ownSalt = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [deployer, salt]));
  const proxy = getCreate2Address({ from: factory, salt: ownSalt, bytecode: PROXY_CODE });
  // The nonce of a new contract is 1.
  return getContractAddress({ from: proxy, nonce: 1n });
}

/**
 * Finds the factory, or deploys it.
 *
 * @param known an address from the configuration, for a chain that refuses the deterministic-deployment proxy.
 * @returns its address.
 * @throws Error when the address has other code.
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
    throw new Error(`The code at ${address} is not the factory's code`);
  }
  return address;
}

/**
 * Finds the factory without sending anything.
 *
 * @returns its address, which a deployment would create it at if it does not exist, and whether it exists.
 */
export async function findFactory(
  target: DeployTarget,
  known: Address | undefined,
): Promise<{ readonly address: Address; readonly exists: boolean }> {
  const address = known ?? FACTORY_ADDRESS;
  if (matchesCode(await target.client.getCode({ address }), bridgeFactoryCode)) return { address, exists: true };
  const earlier = known === undefined ? await earlierFactory(target) : undefined;
  return { address: earlier ?? address, exists: earlier !== undefined };
}

/**
 * Deploys the deterministic-deployment proxy on a chain that lacks it.
 *
 * @returns false when the chain refuses the proxy's transaction, because it is signed without a chain id.
 */
async function ensureDeterministicProxy(target: DeployTarget): Promise<boolean> {
  const { client } = target;
  if (await client.getCode({ address: DETERMINISTIC_PROXY })) return true;
  const balance = await client.getBalance({ address: PROXY_SIGNER });
  if (balance < PROXY_COST_WEI) {
    await sendAndWait(target, 'Paying for the deterministic-deployment proxy', {
      to: PROXY_SIGNER,
      value: PROXY_COST_WEI - balance,
    });
  }
  const hash = await client
    .sendRawTransaction({ serializedTransaction: PROXY_TRANSACTION })
    .catch((error: unknown) => nullIfRefused(error));
  if (hash === null) return false;
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  return receipt.status === 'success';
}

/** Rethrows other errors: a node that is busy or does not answer has not refused the transaction. */
function nullIfRefused(error: unknown): null {
  const isRefusal = (cause: unknown) => REFUSALS.has((cause as { code?: unknown } | null)?.code);
  if (error instanceof BaseError && error.walk(isRefusal)) return null;
  throw error;
}

/** Finds the factory of an interrupted run of the same deployer. */
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
  if (!address || isAddressEqual(address, FACTORY_ADDRESS)) {
    throw new Error(`Deploying the factory failed in transaction ${hash}`);
  }
  step(`chain ${wallet.chain.id} refuses the deterministic-deployment proxy: its factory is ${address}`);
  step('write this address into the configuration as its factory, so that later deployments find it');
  return address;
}
