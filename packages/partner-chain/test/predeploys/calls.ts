import { bytesToHex, decodeFunctionResult, encodeFunctionData, type Abi, type Address, type Hex } from 'viem';
import { PREDEPLOYS } from '../../src/chain/predeploys.js';
import { simulate } from '../../src/simulation/simulate.js';
import { CONTRACTS } from '../contracts.js';
import { ALICE, EngineWorld } from '../engine-world.js';

export const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
export const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
export const ERC1820: Address = '0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24';
export const CREATE_X: Address = '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed';
export const SAFE_FACTORY: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
export const SENDER_CREATOR_06: Address = '0x7fc98430eAEdbb6070B35B39D798725049088348';
export const SENDER_CREATOR_07: Address = '0xEFC2c1444eBCC4Db75e7613d20C6a62fF67A167C';
export const SENDER_CREATOR_08: Address = '0x449ED7C3e6Fee6a97311d4b55475DF59C44AdD33';

/** Opens a chain whose genesis has the predeploys, and further contracts. */
export async function openPredeploys(code: Readonly<Record<Address, Hex>> = {}): Promise<EngineWorld> {
  const codes = Object.keys(PREDEPLOYS).map((address) => [address, getPredeployedCode(address as Address)] as const);
  return await EngineWorld.open({}, { ...CONTRACTS, ...code, ...Object.fromEntries(codes) });
}

export function getPredeployedCode(address: Address): Hex {
  return (PREDEPLOYS[address]?.code ?? '0x') as Hex;
}

/** Runs a call from Alice after the newest block. */
export function callPredeploy(world: EngineWorld, to: Address, data: Hex) {
  return simulate(world.evm, world.context(), world.request(ALICE.address, { to, data }));
}

/** Reads the decoded answer of a call from Alice after the newest block. */
export async function readPredeploy(
  world: EngineWorld,
  to: Address,
  abi: Abi,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<unknown> {
  const { returnValue } = await callPredeploy(world, to, encodeFunctionData({ abi, functionName, args }));
  return decodeFunctionResult({ abi, functionName, data: bytesToHex(returnValue) });
}
