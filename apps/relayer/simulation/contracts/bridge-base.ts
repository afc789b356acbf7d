import { bridgeLockAbi } from '@causeway/protocol/abi';
import { operationId } from '@causeway/protocol';
import { zeroAddress, type Address, type Hex } from 'viem';
import type { Functions } from '../chain/abi-contract.ts';
import type { Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import {
  areBeginningsPaused,
  areDeliveriesPaused,
  isRelayerWallet,
  onlyOwner,
  relayerOf,
  roleFunctions,
  type Setup,
} from './bridge-roles.ts';
import { tokenFunctions, tokenOf, writeToken } from './bridge-tokens.ts';
import { revert } from './errors.ts';
import { count, roomOf, type TokenState } from './token-state.ts';

/** Why an item of a batch is left out. In the order of the contract's enumeration. */
export const SKIP_REASONS = ['None', 'AlreadyDelivered', 'NotDeliverable', 'OverLimit', 'FundsShort'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** What both sides of the bridge share and only one of them knows. Amounts in atomic units. */
export interface BridgeSide {
  readonly setup: Setup;
  /** In the order of the constructor, native coin included. */
  readonly tokens: readonly Address[];
  /** Gas that a recipient of coin gets. */
  readonly deliveryGas: (frame: Frame, to: Address) => bigint;
  /** Atomic units in one unit of the EVM's coin. */
  readonly coinUnit: bigint;
  /** @throws Revert */
  readonly payToken: (frame: Frame, token: Address, to: Address, amount: bigint) => void;
}

const EVENTS = eventsOf(bridgeLockAbi);
const CREDIT_GAS = 50_000n;
const MAX_PAYMENTS = 256;
const MAX_RESERVE = 2n ** 96n - 1n;

/** BridgeBase.sol: what both contracts do alike. */
export class BridgeBase {
  readonly side: BridgeSide;

  constructor(side: BridgeSide) {
    this.side = side;
  }

  functions(): Functions {
    const { side } = this;
    const credit = (frame: Frame, token: unknown, account: unknown) =>
      frame.read(`credit ${token as Address} ${account as Address}`, 0n);
    return {
      ...roleFunctions(),
      ...tokenFunctions(),
      peer: { run: () => side.setup.peer },
      peerChainId: { run: () => side.setup.peerChainId },
      claimable: { run: (frame, [token, account]) => credit(frame, token, account) },
      totalClaimable: { run: (frame, [token]) => frame.read(`credits ${token as Address}`, 0n) },
      claim: {
        gas: 60_000n,
        run: (frame, [token, to]) => {
          if (this.canNeverReceive(frame, token as Address, to as Address)) revert('InvalidRecipient', to);
          return this.claim(frame, token as Address, frame.sender, to as Address);
        },
      },
      claimFor: {
        gas: 60_000n,
        run: (frame, [token, account]) => this.claim(frame, token as Address, account as Address, account as Address),
      },
      redirectCredit: {
        gas: 60_000n,
        run: (frame, [token, account, to]) => this.redirect(frame, token as Address, account as Address, to as Address),
      },
      topUp: {
        gas: 28_000n,
        run: (frame) => {
          if (frame.value === 0n) revert('ZeroAmount');
          frame.emit(EVENTS.get('ToppedUp'), frame.sender, frame.value * side.coinUnit);
        },
      },
    };
  }

  /** Begins an operation: its number, its id, and the relayer wallet. */
  begin(frame: Frame, token: Address, recipient: Address): { id: Hex; nonce: bigint; relayer: Address } {
    const nonce = frame.read('nonce', 0n);
    const relayer = relayerOf(frame);
    if (areBeginningsPaused(frame)) revert('Paused');
    if (!this.isReceivable(frame, token, recipient, relayer)) revert('InvalidRecipient', recipient);
    frame.write('nonce', nonce + 1n);
    return { id: operationId(frame.block.chainId, frame.self, nonce), nonce, relayer };
  }

  checkRelayer(frame: Frame): void {
    if (frame.sender !== relayerOf(frame)) revert('NotRelayer', frame.sender);
    if (areDeliveriesPaused(frame)) revert('Paused');
  }

  checkBatch(frame: Frame, payments: readonly unknown[]): void {
    this.checkRelayer(frame);
    if (payments.length > MAX_PAYMENTS) revert('TooManyPayments', BigInt(payments.length));
  }

  /** Counts a delivery against the limit, and reserves its fee. */
  count(frame: Frame, token: Address, amount: bigint, fee: bigint): { reason: SkipReason; state: TokenState } {
    if (amount === 0n) revert('ZeroAmount');
    const state = tokenOf(frame, token);
    if (!state.mayDeliver) return { reason: 'NotDeliverable', state };
    const counted = count(state, amount + fee, BigInt(frame.block.timestamp));
    if (counted === null) return { reason: 'OverLimit', state };
    return { reason: 'None', state: fee === 0n ? counted : this.reserve(counted, fee) };
  }

  /** Reverts with the error of a reason to skip. */
  revertSkip(frame: Frame, reason: SkipReason, id: Hex, token: Address, asked: bigint): never {
    if (reason === 'AlreadyDelivered') return revert('AlreadyDelivered', id);
    if (reason === 'NotDeliverable') return revert('TokenNotAllowed', token);
    if (reason !== 'OverLimit') return revert('InsufficientCollateral', token);
    return revert('OutflowLimitExceeded', roomOf(tokenOf(frame, token), BigInt(frame.block.timestamp)), asked);
  }

  peerId(nonce: bigint): Hex {
    return operationId(Number(this.side.setup.peerChainId), this.side.setup.peer, nonce);
  }

  isDelivered(frame: Frame, nonce: bigint): boolean {
    return frame.read(`delivered ${nonce}`, false);
  }

  markDelivered(frame: Frame, nonce: bigint): void {
    frame.write(`delivered ${nonce}`, true);
  }

  isReceivable(frame: Frame, token: Address, account: Address, relayer: Address): boolean {
    const { setup, tokens } = this.side;
    return ![zeroAddress, frame.self, setup.peer, token, relayer, ...tokens].includes(account);
  }

  canNeverReceive(frame: Frame, token: Address, account: Address): boolean {
    return isRelayerWallet(frame, account) || !this.isReceivable(frame, token, account, relayerOf(frame));
  }

  /** Keeps an amount for a recipient that refused it. */
  credit(frame: Frame, id: Hex, token: Address, recipient: Address, amount: bigint): void {
    const [own, all] = [`credit ${token} ${recipient}`, `credits ${token}`];
    frame.write(own, frame.read(own, 0n) + amount);
    frame.write(all, frame.read(all, 0n) + amount);
    writeToken(frame, token, this.reserve(tokenOf(frame, token), amount));
    frame.execution.gasUsed += CREDIT_GAS;
    frame.emit(EVENTS.get('Credited'), id, token, recipient, amount);
  }

  /** Whether the recipient took the coin. `value` in units of the EVM. */
  trySendCoin(frame: Frame, to: Address, value: bigint): boolean {
    const share = this.side.deliveryGas(frame, to);
    frame.execution.requireGas(share + share / 63n + CREDIT_GAS);
    return frame.call(to, value).succeeded;
  }

  /** @throws Revert when the recipient does not take it. */
  sendCoin(frame: Frame, to: Address, value: bigint): void {
    if (!frame.call(to, value).succeeded) revert('NativeTransferFailed', to);
  }

  pay(frame: Frame, token: Address, to: Address, amount: bigint): void {
    if (token === zeroAddress) this.sendCoin(frame, to, amount / this.side.coinUnit);
    else this.side.payToken(frame, token, to, amount);
  }

  private reserve(state: TokenState, amount: bigint): TokenState {
    const reserved = state.reserved + amount;
    if (reserved > MAX_RESERVE) revert('ReserveOverflow');
    return { ...state, reserved };
  }

  private claim(frame: Frame, token: Address, account: Address, to: Address): bigint {
    if (this.canNeverReceive(frame, token, account)) revert('InvalidRecipient', account);
    const [own, all] = [`credit ${token} ${account}`, `credits ${token}`];
    const amount = frame.read(own, 0n);
    if (amount === 0n) revert('NothingToPay');
    frame.write(own, 0n);
    frame.write(all, frame.read(all, 0n) - amount);
    const state = tokenOf(frame, token);
    writeToken(frame, token, { ...state, reserved: state.reserved - amount });
    frame.emit(EVENTS.get('Claimed'), token, account, to, amount);
    this.pay(frame, token, to, amount);
    return amount;
  }

  private redirect(frame: Frame, token: Address, account: Address, to: Address): bigint {
    onlyOwner(frame);
    if (!this.canNeverReceive(frame, token, account)) revert('CreditNotRedirectable', account);
    if (this.canNeverReceive(frame, token, to)) revert('InvalidRecipient', to);
    const [from, into] = [`credit ${token} ${account}`, `credit ${token} ${to}`];
    const amount = frame.read(from, 0n);
    if (amount === 0n) revert('NothingToPay');
    frame.write(from, 0n);
    frame.write(into, frame.read(into, 0n) + amount);
    frame.emit(EVENTS.get('CreditRedirected'), token, account, to, amount);
    return amount;
  }
}
