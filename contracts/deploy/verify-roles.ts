import { zeroAddress, type Address, type PublicClient } from 'viem';
import { adminTimelockAbi, bridgeLockAbi, sentinelAbi } from '../generated/abi.js';
import { adminTimelockCode, sentinelCode } from '../generated/deployed-code.js';
import type { ChainName } from './chains.js';
import type { DeploymentConfig } from './deployment-config.js';
import { expectCode, expectSame } from './expect.js';

/** One bridge contract. */
export interface BridgeContract {
  readonly name: string;
  readonly side: ChainName;
  readonly address: Address;
  readonly sentinel: Address;
  readonly deployedAtBlock: number;
}

/**
 * Compares the keys of one bridge contract with the configuration: every role, the attesters, no pause, and no handover
 * in progress. The guardian must be a Sentinel, and the admin the timelock whose offices it reads.
 *
 * @throws Error naming the first difference.
 */
export async function verifyRoles(
  client: PublicClient,
  contract: BridgeContract,
  config: DeploymentConfig,
  deployer: Address,
): Promise<void> {
  const { name, side, address } = contract;
  // BridgeMint has the same functions.
  const bridge = { address, abi: bridgeLockAbi } as const;
  const accounts = {
    guardian: contract.sentinel,
    relayer: config.relayer,
    standby: config.standby ?? zeroAddress,
    policyManager: config.policyManager[side],
    pendingOwner: zeroAddress,
  } as const;
  for (const [functionName, meant] of Object.entries(accounts)) {
    const role = functionName as keyof typeof accounts;
    expectSame(`${role} of ${name}`, await client.readContract({ ...bridge, functionName: role }), meant);
  }
  const attesters = await client.readContract({ ...bridge, functionName: 'attesters' });
  expectSame(`attester set of ${name}`, attesters, [1, config.attesters, config.threshold]);
  const minimum = await client.readContract({ ...bridge, functionName: 'minimumThreshold' });
  expectSame(`minimum threshold of ${name}`, minimum, config.minimumThreshold);
  const pauses = await client.readContract({ ...bridge, functionName: 'pauses' });
  expectSame(`pauses of ${name}`, pauses, [0, false, 0]);
  const admin = await client.readContract({ ...bridge, functionName: 'owner' });
  const timelock = await verifySentinel(client, contract);
  const owner = config.admin?.[side];
  expectSame(`admin of ${name}`, admin, owner === undefined ? deployer : timelock);
  await verifyTimelock(client, { ...contract, address: timelock }, config, owner ?? deployer);
  for (const pauser of config.pausers) {
    const may = { address: contract.sentinel, abi: sentinelAbi, functionName: 'isPauser', args: [pauser] } as const;
    expectSame(`right of ${pauser} to pause ${name}`, await client.readContract(may), true);
  }
}

/**
 * Checks that the guardian of a bridge contract is its Sentinel.
 *
 * @returns the timelock whose offices it reads.
 */
async function verifySentinel(
  client: PublicClient,
  { name, address: bridge, sentinel: address }: BridgeContract,
): Promise<Address> {
  const sentinel = { address, abi: sentinelAbi } as const;
  await expectCode(client, `the guardian of ${name}`, address, sentinelCode);
  const guarded = await client.readContract({ ...sentinel, functionName: 'bridge' });
  expectSame(`bridge of the guardian of ${name}`, guarded, bridge);
  return client.readContract({ ...sentinel, functionName: 'timelock' });
}

/** Compares the timelock that is the admin of a bridge contract with the configuration. */
async function verifyTimelock(
  client: PublicClient,
  { name, side, address }: BridgeContract,
  { adminDelaySeconds, guardian, recovery }: DeploymentConfig,
  owner: Address,
): Promise<void> {
  const timelock = { address, abi: adminTimelockAbi } as const;
  await expectCode(client, `the admin of ${name}`, address, adminTimelockCode);
  const delay = await client.readContract({ ...timelock, functionName: 'getMinDelay' });
  expectSame(`delay of the admin of ${name}`, delay, adminDelaySeconds);
  const minimum = await client.readContract({ ...timelock, functionName: 'minimumDelay' });
  expectSame(`minimum delay of the admin of ${name}`, minimum, adminDelaySeconds);
  const offices = { owner, guardian: guardian[side], recovery: recovery[side] } as const;
  for (const functionName of ['owner', 'guardian', 'recovery'] as const) {
    const holder = await client.readContract({ ...timelock, functionName });
    expectSame(`${functionName} of the admin of ${name}`, holder, offices[functionName]);
  }
  expectSame(`round of the admin of ${name}`, await client.readContract({ ...timelock, functionName: 'round' }), 1);
}
