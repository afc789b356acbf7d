import { intentDomain, releasedIntentDigest, type ReleasedIntent } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { size, zeroAddress, type Address, type Hex } from 'viem';
import { abiContract, type Functions } from '../chain/abi-contract.ts';
import type { Contract, Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { BridgeBase, SKIP_REASONS, type SkipReason } from './bridge-base.ts';
import {
  areBeginningsPaused,
  areDeliveriesPaused,
  requireFree,
  onlyOwner,
  setUpRoles,
  type Setup,
} from './bridge-roles.ts';
import { listToken, tokenOf, writeToken, type TokenSetup } from './bridge-tokens.ts';
import type { Erc20 } from './erc20.ts';
import { revert } from './errors.ts';
import type { TokenState } from './token-state.ts';

/** What the constructor of BridgeLock takes, and how its tokens behave. */
export interface LockSetup {
  readonly setup: Setup;
  readonly tokens: readonly TokenSetup[];
  readonly xcn: Address;
  readonly treasury: Address;
  /** By their addresses. */
  readonly erc20s: ReadonlyMap<Address, Erc20>;
}

interface Payment {
  readonly withdrawNonce: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

const EVENTS = eventsOf(bridgeLockAbi);
const MAX_SIGNATURE_BYTES = 1_024;
const DELIVERY_GAS = 50_000n;

/** BridgeLock.sol. Deposits by permit and by authorization are not simulated: they end in the same event. */
export class BridgeLock {
  readonly contract: Contract;
  private readonly base: BridgeBase;

  private readonly input: LockSetup;

  constructor(input: LockSetup) {
    this.input = input;
    this.base = new BridgeBase({
      setup: input.setup,
      tokens: input.tokens.map(({ token }) => token),
      deliveryGas: () => DELIVERY_GAS,
      coinUnit: 1n,
      payToken: (frame, token, to, amount) => this.erc20(token).transfer(frame.at(token), to, amount),
    });
    this.contract = abiContract(bridgeLockAbi, this.functions());
  }

  /** The constructor. */
  setUp(frame: Frame): void {
    const { setup, tokens, treasury } = this.input;
    setUpRoles(frame, setup);
    for (const token of tokens) listToken(frame, token);
    this.setTreasury(frame, treasury);
  }

  private functions(): Functions {
    return {
      ...this.base.functions(),
      xcn: { run: () => this.input.xcn },
      treasury: { run: (frame) => frame.read('treasury', zeroAddress) },
      depositNonce: { run: (frame) => frame.read('nonce', 0n) },
      depositsPaused: { run: areBeginningsPaused },
      releasesPaused: { run: areDeliveriesPaused },
      isReleased: { run: (frame, [nonce]) => this.base.isDelivered(frame, nonce as bigint) },
      isIntentReleased: { run: (frame, [id]) => frame.read(`intent ${id as Hex}`, false) },
      feesAccrued: { run: (frame, [token]) => this.feesAccrued(frame, token as Address) },
      locked: { run: (frame, [token]) => this.locked(frame, token as Address) },
      deposit: {
        gas: 58_491n,
        run: (frame, [token, amount, recipient]) =>
          this.deposit(frame, token as Address, amount as bigint, recipient as Address),
      },
      depositNative: {
        gas: 32_832n,
        run: (frame, [recipient]) => {
          this.checkAmount(frame, zeroAddress, frame.value);
          return this.emitDeposit(frame, zeroAddress, recipient as Address, frame.value);
        },
      },
      release: {
        gas: 79_050n,
        run: (frame, [withdrawNonce, token, recipient, amount, fee]) => {
          this.base.checkRelayer(frame);
          if (token === zeroAddress) revert('TokenNotAllowed', token);
          this.releaseOne(frame, { withdrawNonce, token, recipient, amount, fee } as Payment);
        },
      },
      releaseNative: {
        gas: 74_251n,
        run: (frame, [withdrawNonce, recipient, amount, fee]) => {
          this.base.checkRelayer(frame);
          this.releaseOne(frame, { withdrawNonce, token: zeroAddress, recipient, amount, fee } as Payment);
        },
      },
      releaseMany: {
        gas: ([payments]) => 60_000n + 25_000n * BigInt((payments as readonly unknown[]).length),
        run: (frame, [payments]) => this.releaseMany(frame, payments as readonly Payment[]),
      },
      releaseIntent: {
        gas: 95_255n,
        run: (frame, [intent, fee]) =>
          this.releaseIntent(frame, intent as ReleasedIntent & { readonly signature: Hex }, fee as bigint),
      },
      collectFees: { gas: 43_273n, run: (frame, [token]) => this.collectFees(frame, token as Address) },
      setTreasury: {
        gas: 40_000n,
        run: (frame, [treasury]) => (onlyOwner(frame), this.setTreasury(frame, treasury as Address)),
      },
    };
  }

  private deposit(frame: Frame, token: Address, amount: bigint, recipient: Address): Hex {
    if (token === zeroAddress) revert('TokenNotAllowed', token);
    this.checkAmount(frame, token, amount);
    this.erc20(token).transferFrom(frame.at(token), frame.sender, frame.self, amount);
    return this.emitDeposit(frame, token, recipient, amount);
  }

  private checkAmount(frame: Frame, token: Address, amount: bigint): void {
    const { mayBegin, maximum, unit, granularity } = tokenOf(frame, token);
    if (!mayBegin) revert('TokenNotAllowed', token);
    if (amount === 0n) revert('ZeroAmount');
    if (amount > maximum * unit) revert('AboveMaximum', amount, maximum * unit);
    if (amount % granularity !== 0n) revert('Dust', amount, granularity);
  }

  private emitDeposit(frame: Frame, token: Address, recipient: Address, amount: bigint): Hex {
    const { id, nonce } = this.base.begin(frame, token, recipient);
    frame.emit(EVENTS.get('Deposit'), id, token, frame.sender, recipient, amount, nonce);
    return id;
  }

  private releaseOne(frame: Frame, payment: Payment): void {
    const { withdrawNonce, token, amount, fee } = payment;
    const reason = this.release(frame, payment);
    if (reason !== 'None') this.base.revertSkip(frame, reason, this.base.peerId(withdrawNonce), token, amount + fee);
  }

  private releaseMany(frame: Frame, payments: readonly Payment[]): bigint {
    this.base.checkBatch(frame, payments);
    return payments.reduce((paid, payment, index) => {
      const reason = this.release(frame, payment);
      if (reason === 'None') return paid | (1n << BigInt(index));
      frame.emit(EVENTS.get('Skipped'), payment.withdrawNonce, BigInt(SKIP_REASONS.indexOf(reason)));
      return paid;
    }, 0n);
  }

  private releaseIntent(frame: Frame, intent: ReleasedIntent & { readonly signature: Hex }, fee: bigint): void {
    this.base.checkRelayer(frame);
    const { peer, peerChainId } = this.input.setup;
    const domain = intentDomain({ chainId: Number(peerChainId), bridgeMint: peer });
    const id = releasedIntentDigest(domain, intent);
    const signatureBytes = size(intent.signature);
    if (signatureBytes > MAX_SIGNATURE_BYTES) revert('SignatureTooLong', BigInt(signatureBytes));
    if (fee >= intent.amount) revert('FeeAboveAmount', fee, intent.amount);
    if (frame.read(`intent ${id}`, false)) revert('AlreadyDelivered', id);
    const { xcn } = this.input;
    const { reason, state } = this.decide(frame, xcn, intent.amount - fee, fee);
    if (reason !== 'None') this.base.revertSkip(frame, reason, id, xcn, intent.amount);
    frame.write(`intent ${id}`, true);
    this.payOut(frame, { id, token: xcn, recipient: intent.recipient, amount: intent.amount - fee, fee }, state);
  }

  /** Pays a withdrawal with a number, unless something is against it. */
  private release(frame: Frame, { withdrawNonce, token, recipient, amount, fee }: Payment): SkipReason {
    if (this.base.isDelivered(frame, withdrawNonce)) return 'AlreadyDelivered';
    const { reason, state } = this.decide(frame, token, amount, fee);
    if (reason !== 'None') return reason;
    this.base.markDelivered(frame, withdrawNonce);
    this.payOut(frame, { id: this.base.peerId(withdrawNonce), token, recipient, amount, fee }, state);
    return 'None';
  }

  private decide(frame: Frame, token: Address, amount: bigint, fee: bigint) {
    const counted = this.base.count(frame, token, amount, fee);
    const isShort = counted.reason === 'None' && this.balance(frame, token) < amount + counted.state.reserved;
    return isShort ? { ...counted, reason: 'FundsShort' as const } : counted;
  }

  private payOut(
    frame: Frame,
    { id, token, recipient, amount, fee }: Omit<Payment, 'withdrawNonce'> & { readonly id: Hex },
    state: TokenState,
  ): void {
    writeToken(frame, token, state);
    frame.emit(EVENTS.get('Release'), id, token, recipient, amount, fee);
    const mayReceive = this.base.isReceivable(frame, token, recipient, frame.sender);
    const send = () =>
      token === zeroAddress
        ? this.base.trySendCoin(frame, recipient, amount)
        : frame.attempt(() => this.erc20(token).transfer(frame.at(token), recipient, amount));
    if (!mayReceive || !send()) this.base.credit(frame, id, token, recipient, amount);
  }

  private collectFees(frame: Frame, token: Address): bigint {
    const amount = this.feesAccrued(frame, token);
    if (amount === 0n) revert('NothingToPay');
    const state = tokenOf(frame, token);
    const reserved = state.reserved - amount;
    writeToken(frame, token, { ...state, reserved });
    this.base.pay(frame, token, frame.read<Address>('treasury', zeroAddress), amount);
    if (this.balance(frame, token) < reserved) revert('InsufficientCollateral', token);
    frame.emit(EVENTS.get('FeesCollected'), token, amount);
    return amount;
  }

  private setTreasury(frame: Frame, treasury: Address): void {
    requireFree(frame, treasury);
    if (this.base.canNeverReceive(frame, zeroAddress, treasury)) revert('InvalidRecipient', treasury);
    frame.write('treasury', treasury);
    frame.emit(EVENTS.get('TreasurySet'), treasury);
  }

  private feesAccrued(frame: Frame, token: Address): bigint {
    return tokenOf(frame, token).reserved - frame.read(`credits ${token}`, 0n);
  }

  private locked(frame: Frame, token: Address): bigint {
    const free = this.balance(frame, token) - tokenOf(frame, token).reserved;
    return free > 0n ? free : 0n;
  }

  private balance(frame: Frame, token: Address): bigint {
    if (token === zeroAddress) return frame.coinOf(frame.self);
    return this.erc20(token).balanceOf(frame.at(token), frame.self);
  }

  private erc20(token: Address): Erc20 {
    const found = this.input.erc20s.get(token);
    if (found === undefined) throw new Error(`not simulated: a token at ${token}`);
    return found;
  }
}
