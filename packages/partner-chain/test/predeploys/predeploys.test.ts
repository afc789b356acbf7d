import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  bytesToHex,
  concat,
  domainSeparator,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  multicall3Abi,
  pad,
  parseAbi,
  stringToHex,
  toHex,
  type Address,
} from 'viem';
import { ALICE, BOB, CHAIN_ID, UNIT, type EngineWorld } from '../engine-world.js';
import { assemble, deploying, FACTORY } from '../contracts.js';
import {
  CREATE2_DEPLOYER,
  CREATE_X,
  ERC1820,
  MULTICALL3,
  openPredeploys,
  PERMIT2,
  readPredeploy,
  SAFE_FACTORY,
} from './calls.js';

const RUNTIME = assemble('42 0 MSTORE 32 0 RETURN');
const PERMIT2_ABI = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
]);
const ERC1820_ABI = parseAbi([
  'function setInterfaceImplementer(address account, bytes32 interfaceHash, address implementer)',
  'function getInterfaceImplementer(address account, bytes32 interfaceHash) view returns (address)',
]);
const CREATE_X_ABI = parseAbi([
  'function deployCreate2(bytes32 salt, bytes initCode) payable returns (address)',
  'function deployCreate3(bytes32 salt, bytes initCode) payable returns (address)',
  'function computeCreate3Address(bytes32 salt) view returns (address)',
]);

let world: EngineWorld;

beforeEach(async () => {
  world = await openPredeploys();
});

afterEach(async () => world.close());

it.each<[string, Address]>([
  ['CREATE2 deployer', CREATE2_DEPLOYER],
  ['Safe singleton factory', SAFE_FACTORY],
])('the %s deploys at the expected address', async (_, factory) => {
  const salt = pad('0x07', { size: 32 });
  const bytecode = deploying(RUNTIME);
  const receipt = await world.send(ALICE, { to: factory, data: concat([salt, bytecode]) });
  expect(receipt.status).toBe(1);
  const deployed = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode });
  expect(bytesToHex(world.account(deployed)!.codeHash)).toBe(keccak256(RUNTIME));
});

it('CreateX deploys at the addresses of CREATE2 and CREATE3', async () => {
  const abi = CREATE_X_ABI;
  const salt = toHex('a salt that names no account', { size: 32 });
  const bytecode = deploying(RUNTIME);
  const hashedSalt = keccak256(salt);
  const create2Address = getContractAddress({ opcode: 'CREATE2', from: CREATE_X, salt: hashedSalt, bytecode });
  const create3Address = (await readPredeploy(world, CREATE_X, abi, 'computeCreate3Address', [hashedSalt])) as Address;
  for (const functionName of ['deployCreate2', 'deployCreate3'] as const) {
    const data = encodeFunctionData({ abi, functionName, args: [salt, bytecode] });
    expect((await world.send(ALICE, { to: CREATE_X, data })).status).toBe(1);
  }
  for (const address of [create2Address, create3Address]) {
    expect(bytesToHex(world.account(address)!.codeHash)).toBe(keccak256(RUNTIME));
  }
});

it('the ERC-1820 registry stores the implementer of an interface', async () => {
  const abi = ERC1820_ABI;
  const interfaceHash = keccak256(stringToHex('ERC777TokensRecipient'));
  const args = [ALICE.address, interfaceHash, ALICE.address] as const;
  const data = encodeFunctionData({ abi, functionName: 'setInterfaceImplementer', args });
  expect((await world.send(ALICE, { to: ERC1820, data })).status).toBe(1);
  const find = (account: Address) =>
    readPredeploy(world, ERC1820, abi, 'getInterfaceImplementer', [account, interfaceHash]);
  expect(await find(ALICE.address)).toBe(ALICE.address);
  expect(await find(BOB.address)).toBe(`0x${'0'.repeat(40)}`);
});

it('Multicall3 answers aggregate3 with the results of its calls, and balances in wei', async () => {
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
  const results = await readPredeploy(world, MULTICALL3, multicall3Abi, 'aggregate3', [
    [call('getBlockNumber'), call('getEthBalance', [BOB.address])],
  ]);
  expect(results).toEqual([
    { success: true, returnData: toHex(1, { size: 32 }) },
    { success: true, returnData: toHex(world.balance(BOB.address) * UNIT, { size: 32 }) },
  ]);
});

it('Permit2 uses the domain of this chain, and stores allowances', async () => {
  const domain = { name: 'Permit2', chainId: CHAIN_ID, verifyingContract: PERMIT2 };
  expect(await readPredeploy(world, PERMIT2, PERMIT2_ABI, 'DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain }));
  const args = [FACTORY, BOB.address, 7n, 2_000_000_000] as const;
  await world.send(ALICE, {
    to: PERMIT2,
    data: encodeFunctionData({ abi: PERMIT2_ABI, functionName: 'approve', args }),
  });
  expect(await readPredeploy(world, PERMIT2, PERMIT2_ABI, 'allowance', [ALICE.address, FACTORY, BOB.address])).toEqual([
    7n,
    2_000_000_000,
    0,
  ]);
});

it('Multicall3 sends the units of aggregate3Value', async () => {
  const call = { target: BOB.address, allowFailure: false, value: 5n, callData: '0x' } as const;
  const abi = parseAbi([
    'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
    'function aggregate3Value(Call[] calls) payable',
  ]);
  const data = encodeFunctionData({ abi, functionName: 'aggregate3Value', args: [[call]] });
  const before = world.balance(BOB.address);
  expect((await world.send(ALICE, { to: MULTICALL3, data, units: 5n })).status).toBe(1);
  expect(world.balance(BOB.address) - before).toBe(5n);
});
