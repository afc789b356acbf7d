import { describe, expect, it } from '@jest/globals';
import type { Address, ContractFunctionArgs, ContractFunctionReturnType, DecodeEventLogReturnType, Hex } from 'viem';
import { encodeFunctionData } from 'viem';
import type { bridgeLockAbi } from './index.js';
import { bridgeMintAbi } from './index.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
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
