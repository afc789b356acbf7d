import { describe, expect, it } from '@jest/globals';
import type {
  Abi,
  Address,
  ContractEventName,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionReturnType,
  DecodeEventLogReturnType,
  Hex,
} from 'viem';
import { encodeFunctionData } from 'viem';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testUsdcAbi, testXcnAbi } from '../src/abi.js';
import {
  BridgedToken__factory,
  BridgeLock__factory,
  BridgeMint__factory,
  TestUSDC__factory,
  TestXCN__factory,
  type BridgeLock,
  type BridgeMint,
} from '../src/ethers.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only when the types are equal: `pnpm typecheck` is the test. */
function same<A, B>(equal: Equal<A, B>): void {
  expect(equal).toBe(true);
}

describe('viem infers from the ABIs', () => {
  it('the arguments of functions', () => {
    same<ContractFunctionArgs<typeof bridgeMintAbi, 'nonpayable', 'burn'>, readonly [Address, bigint, Address, bigint]>(
      true,
    );
    same<ContractFunctionArgs<typeof bridgeMintAbi, 'payable', 'withdrawNative'>, readonly [Address, bigint]>(true);
    type Intent = ContractFunctionArgs<typeof bridgeLockAbi, 'nonpayable', 'releaseIntent'>[0];
    same<Intent['nonceHash'], Hex>(true);
    same<Intent['amount'], bigint>(true);
    same<ContractFunctionArgs<typeof bridgeLockAbi, 'payable', 'depositNative'>, readonly [Address]>(true);
  });

  it('their results', () => {
    same<ContractFunctionReturnType<typeof bridgeMintAbi, 'view', 'feePolicy'>, readonly [number, bigint, bigint]>(
      true,
    );
    same<ContractFunctionReturnType<typeof bridgeLockAbi, 'view', 'isReleased'>, boolean>(true);
  });

  it('the arguments of events', () => {
    type Deposit = DecodeEventLogReturnType<typeof bridgeLockAbi, 'Deposit'>['args'];
    same<Deposit['depositId'], Hex>(true);
    same<Deposit['recipient'], Address>(true);
    same<Deposit['amount'], bigint>(true);
  });

  it('and refuses what does not fit', () => {
    const wrong = () =>
      encodeFunctionData({
        abi: bridgeMintAbi,
        functionName: 'burn',
        // @ts-expect-error The amount is a bigint.
        args: [`0x${'00'.repeat(20)}`, '1', `0x${'00'.repeat(20)}`, 1n],
      });
    expect(wrong).toBeInstanceOf(Function);
  });
});

/** The parts of an ABI without its errors: the exported ABIs of the bridge also contain the errors of its tokens. */
type Callable<A extends Abi> = Exclude<A[number], { type: 'error' }>;
const callable = (abi: Abi) => abi.filter(({ type }) => type !== 'error');

describe('the TypeChain bindings', () => {
  it('have the same functions, events and constructors as the ABIs', () => {
    same<Callable<typeof BridgeLock__factory.abi>, Callable<typeof bridgeLockAbi>>(true);
    same<Callable<typeof BridgeMint__factory.abi>, Callable<typeof bridgeMintAbi>>(true);
    same<typeof BridgedToken__factory.abi, typeof bridgedTokenAbi>(true);
    same<typeof TestUSDC__factory.abi, typeof testUsdcAbi>(true);
    same<typeof TestXCN__factory.abi, typeof testXcnAbi>(true);
    expect(callable(BridgeLock__factory.abi)).toEqual(callable(bridgeLockAbi));
    expect(callable(BridgeMint__factory.abi)).toEqual(callable(bridgeMintAbi));
    expect(BridgedToken__factory.abi).toEqual(bridgedTokenAbi);
    expect(TestUSDC__factory.abi).toEqual(testUsdcAbi);
    expect(TestXCN__factory.abi).toEqual(testXcnAbi);
  });

  it('have no error that the ABIs lack', () => {
    expect(bridgeLockAbi).toEqual(expect.arrayContaining([...BridgeLock__factory.abi]));
    expect(bridgeMintAbi).toEqual(expect.arrayContaining([...BridgeMint__factory.abi]));
  });

  it('name the functions and events that the protocol names', () => {
    same<Parameters<BridgeLock['interface']['getFunction']>[0], ContractFunctionName<typeof bridgeLockAbi>>(true);
    same<Parameters<BridgeMint['interface']['getEvent']>[0], ContractEventName<typeof bridgeMintAbi>>(true);
  });

  it('encode a call as viem does', () => {
    const [token, recipient] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const;
    const args = [token, 5n, recipient, 1n] as const;
    const expected = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'burn', args });
    expect(BridgeMint__factory.createInterface().encodeFunctionData('burn', [...args])).toBe(expected);
  });
});
