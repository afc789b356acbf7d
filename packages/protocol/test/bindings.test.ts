import { describe, expect, it } from '@jest/globals';
import type {
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
} from '../src/typechain.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The entries of an ABI but its errors: the protocol's ABIs of the bridges add the errors of the tokens they call. */
type WithoutErrors<Abi extends readonly { readonly type: string }[]> = Exclude<Abi[number], { readonly type: 'error' }>;
/** Compiles only when the types are the same: `pnpm typecheck` is the test, what runs is a formality. */
function same<A, B>(equal: Equal<A, B>): void {
  expect(equal).toBe(true);
}

describe('viem infers from the ABIs', () => {
  it('the arguments of functions', () => {
    same<ContractFunctionArgs<typeof bridgeMintAbi, 'nonpayable', 'burn'>, readonly [Address, bigint, Address, bigint]>(
      true,
    );
    same<
      ContractFunctionArgs<typeof bridgeLockAbi, 'nonpayable', 'releaseIntent'>,
      readonly [Hex, Address, bigint, bigint]
    >(true);
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

describe('the TypeChain bindings', () => {
  it('are made from the same ABIs', () => {
    same<WithoutErrors<typeof BridgeLock__factory.abi>, WithoutErrors<typeof bridgeLockAbi>>(true);
    same<WithoutErrors<typeof BridgeMint__factory.abi>, WithoutErrors<typeof bridgeMintAbi>>(true);
    same<typeof BridgedToken__factory.abi, typeof bridgedTokenAbi>(true);
    same<typeof TestUSDC__factory.abi, typeof testUsdcAbi>(true);
    same<typeof TestXCN__factory.abi, typeof testXcnAbi>(true);
    expect(bridgeLockAbi.slice(0, BridgeLock__factory.abi.length)).toEqual(BridgeLock__factory.abi);
    expect(bridgeMintAbi.slice(0, BridgeMint__factory.abi.length)).toEqual(BridgeMint__factory.abi);
    expect(BridgedToken__factory.abi).toEqual(bridgedTokenAbi);
    expect(TestUSDC__factory.abi).toEqual(testUsdcAbi);
    expect(TestXCN__factory.abi).toEqual(testXcnAbi);
  });

  it('name the functions and events that the protocol names', () => {
    same<
      Parameters<BridgeLock['interface']['getFunction']>[0],
      Exclude<ContractFunctionName<typeof bridgeLockAbi>, never>
    >(true);
    same<Parameters<BridgeMint['interface']['getEvent']>[0], ContractEventName<typeof bridgeMintAbi>>(true);
  });

  it('encode a call as viem does', () => {
    const [token, recipient] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const;
    const args = [token, 5n, recipient, 1n] as const;
    const expected = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'burn', args });
    expect(BridgeMint__factory.createInterface().encodeFunctionData('burn', [...args])).toBe(expected);
  });
});
