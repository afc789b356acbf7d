import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  bytesToHex,
  concat,
  decodeErrorResult,
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  multicall3Abi,
  pad,
  parseAbi,
  toHex,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction';
import { PREDEPLOYS } from '../src/chain/predeploys.js';
import { simulate } from '../src/simulation/simulate.js';
import { ALICE, BOB, CHAIN_ID, EngineWorld } from './engine-world.js';
import { assemble, deploying, CONTRACTS, FACTORY } from './contracts.js';

const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const SENDER_CREATOR: Address = '0xEFC2c1444eBCC4Db75e7613d20C6a62fF67A167C';

/** An account contract that accepts every user operation, pays the missing funds, and sets slot 0 when it is called. */
const ACCOUNT: Address = `0x${'acc0'.repeat(10)}`;
const ACCOUNT_CODE = assemble(
  '0 CALLDATALOAD 224 SHR 0x19822f7c EQ @validate JUMPI 1 0 SSTORE STOP ' +
    'validate: 0 0 0 0 68 CALLDATALOAD CALLER GAS CALL POP 0 0 MSTORE 32 0 RETURN',
);
const PERMIT2_ABI = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
]);

let world: EngineWorld;

beforeEach(async () => {
  const codes = Object.entries(PREDEPLOYS).map(([address, account]) => [address, account.code ?? '0x'] as const);
  world = await EngineWorld.open({}, { ...CONTRACTS, [ACCOUNT]: ACCOUNT_CODE, ...Object.fromEntries(codes) });
});

afterEach(async () => world.close());

async function read(to: Address, abi: Abi, functionName: string, args: readonly unknown[] = []): Promise<unknown> {
  const { returnValue } = await run(to, encodeFunctionData({ abi, functionName, args }));
  return decodeFunctionResult({ abi, functionName, data: bytesToHex(returnValue) });
}

function run(to: Address, data: Hex) {
  return simulate(world.evm, world.context(), world.request(ALICE.address, { to, data }));
}

it.each<[string, Address, Hex]>([
  ['CREATE2 deployer', CREATE2_DEPLOYER, '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989'],
  ['Multicall3', MULTICALL3, '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891'],
  ['Permit2', PERMIT2, '0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131'],
  ['EntryPoint 0.7', entryPoint07Address, '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58'],
])('%s has the code of Ethereum', (_, address, codeHash) => {
  expect(keccak256(PREDEPLOYS[address]?.code as Hex)).toBe(codeHash);
});

it('the CREATE2 deployer deploys at the expected address', async () => {
  const runtime = assemble('42 0 MSTORE 32 0 RETURN');
  const salt = pad('0x07', { size: 32 });
  const bytecode = deploying(runtime);
  const receipt = await world.send(ALICE, { to: CREATE2_DEPLOYER, data: concat([salt, bytecode]) });
  expect(receipt.status).toBe(1);
  const deployed = getContractAddress({ opcode: 'CREATE2', from: CREATE2_DEPLOYER, salt, bytecode });
  expect(bytesToHex(world.account(deployed)!.codeHash)).toBe(keccak256(runtime));
});

it('Multicall3 answers aggregate3 with the results of its calls', async () => {
  const call = (functionName: 'getBlockNumber' | 'getEthBalance', args: readonly [] | readonly [Address] = []) => ({
    target: MULTICALL3,
    allowFailure: false,
    callData: encodeFunctionData({ abi: MULTICALL_ABI, functionName, args }),
  });
  const MULTICALL_ABI = parseAbi([
    'function getBlockNumber() view returns (uint256)',
    'function getEthBalance(address) view returns (uint256)',
  ]);
  await world.mine();
  const results = await read(MULTICALL3, multicall3Abi, 'aggregate3', [
    [call('getBlockNumber'), call('getEthBalance', [BOB.address])],
  ]);
  expect(results).toEqual([
    { success: true, returnData: toHex(1, { size: 32 }) },
    { success: true, returnData: toHex(world.balance(BOB.address), { size: 32 }) },
  ]);
});

it('Permit2 uses the domain of this chain, and keeps allowances', async () => {
  const domain = { name: 'Permit2', chainId: CHAIN_ID, verifyingContract: PERMIT2 };
  expect(await read(PERMIT2, PERMIT2_ABI, 'DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain }));
  const args = [FACTORY, BOB.address, 7n, 2_000_000_000] as const;
  await world.send(ALICE, {
    to: PERMIT2,
    data: encodeFunctionData({ abi: PERMIT2_ABI, functionName: 'approve', args }),
  });
  expect(await read(PERMIT2, PERMIT2_ABI, 'allowance', [ALICE.address, FACTORY, BOB.address])).toEqual([
    7n,
    2_000_000_000,
    0,
  ]);
});

it('the EntryPoint executes a user operation, which pays from its deposit', async () => {
  const abi = entryPoint07Abi;
  const readNonce = () => read(entryPoint07Address, abi, 'getNonce', [ACCOUNT, 0n]);
  expect(await readNonce()).toBe(0n);
  const deposit = encodeFunctionData({ abi, functionName: 'depositTo', args: [ACCOUNT] });
  await world.send(ALICE, { to: entryPoint07Address, data: deposit, units: 10n ** 8n });
  const before = world.balance(BOB.address);
  const operation = {
    sender: ACCOUNT,
    nonce: 0n,
    initCode: '0x',
    callData: '0x12345678',
    accountGasLimits: concat([toHex(200_000n, { size: 16 }), toHex(100_000n, { size: 16 })]),
    preVerificationGas: 50_000n,
    // One unit of 8 decimals for a unit of gas.
    gasFees: concat([toHex(1n, { size: 16 }), toHex(1n, { size: 16 })]),
    paymasterAndData: '0x',
    signature: '0x',
  } as const;
  const data = encodeFunctionData({ abi, functionName: 'handleOps', args: [[operation], BOB.address] });
  const receipt = await world.send(ALICE, { to: entryPoint07Address, data });
  expect(receipt.status).toBe(1);
  expect(world.slot(ACCOUNT, 0n)).toBe(1n);
  expect(await readNonce()).toBe(1n);
  const paid = world.balance(BOB.address) - before;
  expect(paid).toBeGreaterThan(50_000n);
  expect(await read(entryPoint07Address, abi, 'balanceOf', [ACCOUNT])).toBe(10n ** 8n - paid);
});

it('the EntryPoint finds the address of a new account through its SenderCreator', async () => {
  expect(world.account(SENDER_CREATOR)?.isContract()).toBe(true);
  const initCode = concat([FACTORY, deploying(ACCOUNT_CODE)]);
  const args = [initCode] as const;
  const { returnValue, error } = await run(
    entryPoint07Address,
    encodeFunctionData({ abi: entryPoint07Abi, functionName: 'getSenderAddress', args }),
  );
  expect(error).toBe('revert');
  const expected = getContractAddress({ from: FACTORY, nonce: 1n });
  expect(decodeErrorResult({ abi: entryPoint07Abi, data: bytesToHex(returnValue) })).toMatchObject({
    errorName: 'SenderAddressResult',
    args: [expected],
  });
});
