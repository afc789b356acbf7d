import { testUsdcAbi, testXcnAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address } from 'viem';
import { abiContract, type Functions } from '../chain/abi-contract.ts';
import type { Contract, Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { revert } from './errors.ts';

/** A token as a bridge contract calls it. */
export interface Erc20 {
  readonly balanceOf: (frame: Frame, account: Address) => bigint;
  readonly transfer: (frame: Frame, to: Address, amount: bigint) => void;
  readonly transferFrom: (frame: Frame, from: Address, to: Address, amount: bigint) => void;
}

const EVENTS = eventsOf(testUsdcAbi);
const UNLIMITED = 2n ** 256n - 1n;

/** The tokens of Ethereum (TestUSDC.sol, TestXCN.sol): OpenZeppelin's, and USDC with a list of blocked accounts. */
export const ethereumTokens = {
  USDC: token((frame, from, to) => {
    for (const account of [from, to]) {
      if (frame.read(`blocked ${account}`, false)) revert('Blocklisted', account);
    }
  }),
  XCN: token(() => undefined),
};

/** The contracts of the tokens of Ethereum. */
export function ethereumTokenContracts(): Readonly<Record<'USDC' | 'XCN', Contract>> {
  const blocklist: Functions = {
    blocklisted: { run: (frame, [account]) => frame.read(`blocked ${account as Address}`, false) },
    setBlocklisted: {
      gas: 45_000n,
      run: (frame, [account, blocked]) => frame.write(`blocked ${account as Address}`, blocked),
    },
  };
  return {
    USDC: abiContract(testUsdcAbi, { ...tokenFunctions(ethereumTokens.USDC), ...blocklist }),
    XCN: abiContract(testXcnAbi, tokenFunctions(ethereumTokens.XCN)),
  };
}

/** `approve` and `allowance`, which all tokens share. */
export function allowanceFunctions(): Functions {
  return {
    allowance: {
      run: (frame, [owner, spender]) => allowance(frame, owner as Address, spender as Address),
    },
    approve: {
      gas: 46_000n,
      run: (frame, [spender, amount]) => {
        if (spender === zeroAddress) revert('ERC20InvalidSpender', spender);
        frame.write(`allowance ${frame.sender} ${spender as Address}`, amount);
        frame.emit(EVENTS.get('Approval'), frame.sender, spender, amount);
        return true;
      },
    },
  };
}

/**
 * Spends an allowance of the caller. An unlimited one stays as it is.
 *
 * @throws Revert
 */
export function spendAllowance(frame: Frame, owner: Address, amount: bigint): void {
  const allowed = allowance(frame, owner, frame.sender);
  if (allowed === UNLIMITED) return;
  if (allowed < amount) revert('ERC20InsufficientAllowance', frame.sender, allowed, amount);
  frame.write(`allowance ${owner} ${frame.sender}`, allowed - amount);
}

/**
 * OpenZeppelin's checks of the accounts of a transfer.
 *
 * @throws Revert
 */
export function checkAccounts(from: Address, to: Address): void {
  if (from === zeroAddress) revert('ERC20InvalidSender', from);
  if (to === zeroAddress) revert('ERC20InvalidReceiver', to);
}

function allowance(frame: Frame, owner: Address, spender: Address): bigint {
  return frame.read(`allowance ${owner} ${spender}`, 0n);
}

function token(
  check: (frame: Frame, from: Address, to: Address) => void,
): Erc20 & { readonly mint: Erc20['transfer'] } {
  const balanceOf = (frame: Frame, account: Address) => frame.read(`balance ${account}`, 0n);
  const update = (frame: Frame, from: Address, to: Address, amount: bigint) => {
    check(frame, from, to);
    if (from === zeroAddress) {
      frame.write('supply', frame.read('supply', 0n) + amount);
    } else {
      const balance = balanceOf(frame, from);
      if (balance < amount) revert('ERC20InsufficientBalance', from, balance, amount);
      frame.write(`balance ${from}`, balance - amount);
    }
    frame.write(`balance ${to}`, balanceOf(frame, to) + amount);
    frame.emit(EVENTS.get('Transfer'), from, to, amount);
  };
  const move = (frame: Frame, from: Address, to: Address, amount: bigint) => {
    checkAccounts(from, to);
    update(frame, from, to, amount);
  };
  return {
    balanceOf,
    transfer: (frame, to, amount) => move(frame, frame.sender, to, amount),
    transferFrom: (frame, from, to, amount) => {
      spendAllowance(frame, from, amount);
      move(frame, from, to, amount);
    },
    mint: (frame, to, amount) => {
      if (to === zeroAddress) revert('ERC20InvalidReceiver', to);
      update(frame, zeroAddress, to, amount);
    },
  };
}

function tokenFunctions(of: ReturnType<typeof token>): Functions {
  return {
    ...allowanceFunctions(),
    balanceOf: { run: (frame, [account]) => of.balanceOf(frame, account as Address) },
    totalSupply: { run: (frame) => frame.read('supply', 0n) },
    transfer: {
      gas: 34_129n,
      run: (frame, [to, amount]) => (of.transfer(frame, to as Address, amount as bigint), true),
    },
    transferFrom: {
      gas: 45_000n,
      run: (frame, [from, to, amount]) => (
        of.transferFrom(frame, from as Address, to as Address, amount as bigint),
        true
      ),
    },
    mint: { gas: 51_000n, run: (frame, [to, amount]) => of.mint(frame, to as Address, amount as bigint) },
  };
}
