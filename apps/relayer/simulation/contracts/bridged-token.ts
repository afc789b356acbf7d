import { bridgedTokenAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address } from 'viem';
import { abiContract } from '../chain/abi-contract.ts';
import type { Contract, Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { allowanceFunctions, checkAccounts, spendAllowance } from './erc20.ts';
import { revert } from './errors.ts';

const EVENTS = eventsOf(bridgedTokenAbi);
const MAX_SUPPLY = 2n ** 127n;

/** An account of a bridged token. A sealed one is a relayer wallet: only the bridge moves its tokens. */
interface Slot {
  readonly balance: bigint;
  readonly handedIn: bigint;
  readonly isSealed: boolean;
}

const EMPTY: Slot = { balance: 0n, handedIn: 0n, isSealed: false };

const slotOf = (frame: Frame, account: Address) => frame.read(`slot ${account}`, EMPTY);
const write = (frame: Frame, account: Address, slot: Slot) => frame.write(`slot ${account}`, slot);
const supplyOf = (frame: Frame) => frame.read('supply', 0n);

/** What BridgeMint calls of a bridged token. The frame is the token's. */
export const bridgedToken = {
  /** False for a sealed account. */
  mint(frame: Frame, to: Address, amount: bigint): boolean {
    const slot = slotOf(frame, to);
    if (slot.isSealed) return false;
    const supply = supplyOf(frame) + amount;
    if (supply >= MAX_SUPPLY) revert('SupplyOverflow');
    frame.write('supply', supply);
    write(frame, to, { ...slot, balance: slot.balance + amount });
    frame.emit(EVENTS.get('Transfer'), zeroAddress, to, amount);
    return true;
  },

  transfer(frame: Frame, to: Address, amount: bigint): void {
    move(frame, frame.sender, to, amount);
  },

  bridgeTransfer(frame: Frame, from: Address, wallet: Address, amount: bigint): void {
    take(frame, from, amount, false);
    const slot = slotOf(frame, wallet);
    write(frame, wallet, { balance: slot.balance + amount, handedIn: slot.handedIn + amount, isSealed: true });
    frame.emit(EVENTS.get('Transfer'), from, wallet, amount);
  },

  bridgeRefund(frame: Frame, wallet: Address, to: Address, amount: bigint): void {
    take(frame, wallet, amount, true);
    const left = slotOf(frame, wallet);
    if (left.balance < left.handedIn) revert('HandedIn', wallet);
    give(frame, to, amount);
    frame.emit(EVENTS.get('Transfer'), wallet, to, amount);
  },

  retire(frame: Frame, wallet: Address, amount: bigint): void {
    take(frame, wallet, amount, true);
    const slot = slotOf(frame, wallet);
    const handedIn = amount < slot.handedIn ? slot.handedIn - amount : 0n;
    write(frame, wallet, { ...slot, handedIn });
    frame.write('supply', supplyOf(frame) - amount);
    frame.emit(EVENTS.get('Transfer'), wallet, zeroAddress, amount);
  },
};

/** BridgedToken.sol. */
export function bridgedTokenContract(): Contract {
  return abiContract(bridgedTokenAbi, {
    ...allowanceFunctions(),
    balanceOf: { run: (frame, [account]) => slotOf(frame, account as Address).balance },
    handedIn: { run: (frame, [account]) => slotOf(frame, account as Address).handedIn },
    isSealed: { run: (frame, [account]) => slotOf(frame, account as Address).isSealed },
    totalSupply: { run: supplyOf },
    transfer: {
      gas: 34_325n,
      run: (frame, [to, amount]) => move(frame, frame.sender, to as Address, amount as bigint),
    },
    transferFrom: {
      gas: 45_000n,
      run: (frame, [from, to, amount]) => {
        spendAllowance(frame, from as Address, amount as bigint);
        return move(frame, from as Address, to as Address, amount as bigint);
      },
    },
  });
}

function move(frame: Frame, from: Address, to: Address, amount: bigint): true {
  checkAccounts(from, to);
  take(frame, from, amount, false);
  give(frame, to, amount);
  frame.emit(EVENTS.get('Transfer'), from, to, amount);
  return true;
}

function take(frame: Frame, from: Address, amount: bigint, evenSealed: boolean): void {
  const slot = slotOf(frame, from);
  if (slot.isSealed && !evenSealed) revert('HandedIn', from);
  if (slot.balance < amount) revert('ERC20InsufficientBalance', from, slot.balance, amount);
  write(frame, from, { ...slot, balance: slot.balance - amount });
}

function give(frame: Frame, to: Address, amount: bigint): void {
  const slot = slotOf(frame, to);
  write(frame, to, { ...slot, balance: slot.balance + amount });
}
