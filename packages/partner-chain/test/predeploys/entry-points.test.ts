import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  bytesToHex,
  concat,
  decodeErrorResult,
  domainSeparator,
  encodeFunctionData,
  getContractAddress,
  type Abi,
  type Address,
} from 'viem';
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
  getUserOperationHash,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { assemble, deploying, FACTORY } from '../contracts.js';
import { ALICE, BOB, CHAIN_ID, type EngineWorld } from '../engine-world.js';
import {
  callPredeploy,
  openPredeploys,
  readPredeploy,
  SENDER_CREATOR_06,
  SENDER_CREATOR_07,
  SENDER_CREATOR_08,
} from './calls.js';

/** An account contract that accepts every user operation, pays the missing funds, and sets slot 0 when called. */
const ACCOUNT: Address = `0x${'acc0'.repeat(10)}`;
const ACCOUNT_CODE = assemble(
  '0 CALLDATALOAD 224 SHR DUP1 0x19822f7c EQ @validate JUMPI 0x3a871cdd EQ @validate JUMPI 1 0 SSTORE STOP ' +
    'validate: 0 0 0 0 68 CALLDATALOAD CALLER GAS CALL POP 0 0 MSTORE 32 0 RETURN',
);

const OPERATION = {
  sender: ACCOUNT,
  nonce: 0n,
  callData: '0x12345678',
  callGasLimit: 100_000n,
  verificationGasLimit: 200_000n,
  preVerificationGas: 50_000n,
  // One unit of 8 decimals per unit of gas.
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  signature: '0x',
} as const;
const OPERATION_06 = { ...OPERATION, initCode: '0x', paymasterAndData: '0x' } as const;
const PACKED_OPERATION = toPackedUserOperation(OPERATION);
const chainId = CHAIN_ID;

const ENTRY_POINTS = [
  {
    version: '0.6',
    address: entryPoint06Address,
    abi: entryPoint06Abi as Abi,
    senderCreator: SENDER_CREATOR_06,
    operation: OPERATION_06,
    hash: getUserOperationHash({
      chainId,
      entryPointAddress: entryPoint06Address,
      entryPointVersion: '0.6',
      userOperation: OPERATION_06,
    }),
  },
  {
    version: '0.7',
    address: entryPoint07Address,
    abi: entryPoint07Abi as Abi,
    senderCreator: SENDER_CREATOR_07,
    operation: PACKED_OPERATION,
    hash: getUserOperationHash({
      chainId,
      entryPointAddress: entryPoint07Address,
      entryPointVersion: '0.7',
      userOperation: OPERATION,
    }),
  },
  {
    version: '0.8',
    address: entryPoint08Address,
    abi: entryPoint08Abi as Abi,
    senderCreator: SENDER_CREATOR_08,
    operation: PACKED_OPERATION,
    hash: getUserOperationHash({
      chainId,
      entryPointAddress: entryPoint08Address,
      entryPointVersion: '0.8',
      userOperation: OPERATION,
    }),
  },
];

let world: EngineWorld;

beforeEach(async () => {
  world = await openPredeploys({ [ACCOUNT]: ACCOUNT_CODE });
});

afterEach(async () => world.close());

describe.each(ENTRY_POINTS)('EntryPoint $version', ({ address, abi, senderCreator, operation, hash }) => {
  const read = (functionName: string, args: readonly unknown[] = []) =>
    readPredeploy(world, address, abi, functionName, args);

  it('executes a user operation, which pays from its deposit', async () => {
    expect(await read('getNonce', [ACCOUNT, 0n])).toBe(0n);
    const deposit = encodeFunctionData({ abi, functionName: 'depositTo', args: [ACCOUNT] });
    await world.send(ALICE, { to: address, data: deposit, units: 10n ** 8n });
    const before = world.balance(BOB.address);
    const data = encodeFunctionData({ abi, functionName: 'handleOps', args: [[operation], BOB.address] });
    const receipt = await world.send(ALICE, { to: address, data });
    expect(receipt.status).toBe(1);
    expect(world.slot(ACCOUNT, 0n)).toBe(1n);
    expect(await read('getNonce', [ACCOUNT, 0n])).toBe(1n);
    const paid = world.balance(BOB.address) - before;
    expect(paid).toBeGreaterThan(50_000n);
    expect(await read('balanceOf', [ACCOUNT])).toBe(10n ** 8n - paid);
  });

  it('finds the address of a new account through its SenderCreator', async () => {
    expect(world.account(senderCreator)?.isContract()).toBe(true);
    const initCode = concat([FACTORY, deploying(ACCOUNT_CODE)]);
    const data = encodeFunctionData({ abi, functionName: 'getSenderAddress', args: [initCode] });
    const { returnValue, error } = await callPredeploy(world, address, data);
    expect(error).toBe('revert');
    const expected = getContractAddress({ from: FACTORY, nonce: 1n });
    expect(decodeErrorResult({ abi, data: bytesToHex(returnValue) })).toMatchObject({
      errorName: 'SenderAddressResult',
      args: [expected],
    });
  });

  it('hashes a user operation for this chain', async () => {
    expect(await read('getUserOpHash', [operation])).toBe(hash);
  });
});

it('EntryPoint 0.8 uses the domain of this chain, and names its SenderCreator', async () => {
  const domain = { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint08Address };
  const read = (functionName: string) => readPredeploy(world, entryPoint08Address, entryPoint08Abi, functionName);
  expect(await read('getDomainSeparatorV4')).toBe(domainSeparator({ domain }));
  expect(await read('senderCreator')).toBe(SENDER_CREATOR_08);
});
