import { bridgeMintAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address, type Hex } from 'viem';
import { abiContract, type Functions } from '../chain/abi-contract.ts';
import { Revert, type Contract, type Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { BridgeBase, SKIP_REASONS, type SkipReason } from './bridge-base.ts';
import {
  areBeginningsPaused,
  areDeliveriesPaused,
  isRelayerWallet,
  relayerOf,
  setUpRoles,
  type Setup,
} from './bridge-roles.ts';
import { listToken, tokenOf, writeToken, type TokenSetup } from './bridge-tokens.ts';
import { bridgedToken } from './bridged-token.ts';
import { revert } from './errors.ts';
import { feeFunctions, feeOf, setUpFees, type FeeSetup } from './withdrawal-terms.ts';

/** What the constructor of BridgeMint takes. */
export interface MintSetup {
  readonly setup: Setup;
  readonly tokens: readonly TokenSetup[];
  readonly fees: readonly FeeSetup[];
  /** Atomic units of XCN in one unit of the EVM's coin. */
  readonly nativeUnit: bigint;
}

interface Payment {
  readonly depositNonce: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
}

interface Refund {
  readonly refundId: Hex;
  readonly wallet: Address;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
}

const EVENTS = eventsOf(bridgeMintAbi);
const NEW_ACCOUNT_GAS = 750_000n;
const DELIVERY_GAS = 50_000n;
const NATIVE: Address = zeroAddress;

/** BridgeMint.sol. */
export class BridgeMint {
  readonly contract: Contract;
  private readonly base: BridgeBase;

  private readonly input: MintSetup;

  constructor(input: MintSetup) {
    this.input = input;
    this.base = new BridgeBase({
      setup: input.setup,
      tokens: input.tokens.map(({ token }) => token),
      deliveryGas: (frame, to) => (frame.execution.contracts.has(to) ? DELIVERY_GAS : NEW_ACCOUNT_GAS),
      coinUnit: input.nativeUnit,
      payToken: (frame, token, to, amount) => bridgedToken.transfer(frame.at(token), to, amount),
    });
    this.contract = abiContract(bridgeMintAbi, this.functions());
  }

  /** The constructor. */
  setUp(frame: Frame): void {
    const { setup, tokens, fees } = this.input;
    setUpRoles(frame, setup);
    for (const token of tokens) listToken(frame, token);
    setUpFees(frame, fees);
  }

  private functions(): Functions {
    const { base, input } = this;
    return {
      ...base.functions(),
      ...feeFunctions(input.nativeUnit, (token) => token === NATIVE),
      ...this.refundFunctions(),
      nativeUnit: { run: () => input.nativeUnit },
      NEW_ACCOUNT_GAS: { run: () => NEW_ACCOUNT_GAS },
      float: { run: (frame) => this.coin(frame) - tokenOf(frame, NATIVE).reserved },
      withdrawNonce: { run: (frame) => frame.read('nonce', 0n) },
      burnsPaused: { run: areBeginningsPaused },
      mintsPaused: { run: areDeliveriesPaused },
      isMinted: { run: (frame, [nonce]) => base.isDelivered(frame, nonce as bigint) },
      isRefunded: { run: (frame, [id]) => frame.read(`refund ${id as Hex}`, false) },
      mint: {
        gas: 73_796n,
        run: (frame, [depositNonce, token, recipient, amount]) => {
          base.checkRelayer(frame);
          this.checkValue(frame, token === NATIVE ? (amount as bigint) : 0n);
          const reason = this.mint(frame, { depositNonce, token, recipient, amount } as Payment);
          const id = base.peerId(depositNonce as bigint);
          if (reason !== 'None') base.revertSkip(frame, reason, id, token as Address, amount as bigint);
        },
      },
      mintMany: {
        gas: ([payments]) => 60_000n + 25_000n * BigInt((payments as readonly unknown[]).length),
        run: (frame, [payments]) => this.mintMany(frame, payments as readonly Payment[]),
      },
      burn: {
        gas: 50_246n,
        run: (frame, [token, amount, destination, maxFee]) => {
          if (token === NATIVE) revert('TokenNotAllowed', token);
          const terms = { token: token as Address, amount: amount as bigint };
          const { id, relayer } = this.withdraw(frame, terms, destination as Address, maxFee as bigint);
          if (frame.sender === relayer) revert('RelayerCannotBurn');
          bridgedToken.bridgeTransfer(frame.at(terms.token), frame.sender, relayer, terms.amount);
          return id;
        },
      },
      withdrawNative: {
        gas: 33_167n,
        run: (frame, [destination, maxFee]) => {
          const terms = { token: NATIVE, amount: frame.value * input.nativeUnit };
          return this.withdraw(frame, terms, destination as Address, maxFee as bigint).id;
        },
      },
    };
  }

  private refundFunctions(): Functions {
    const retire = (frame: Frame, wallet: Address, token: Address, amount: bigint) => {
      if (frame.sender !== relayerOf(frame)) revert('NotRelayer', frame.sender);
      if (!isRelayerWallet(frame, wallet)) revert('NotRelayerWallet', wallet);
      frame.emit(EVENTS.get('Retired'), token, amount);
      bridgedToken.retire(this.at(frame, token), wallet, amount);
    };
    return {
      retire: {
        gas: 44_644n,
        run: (frame, [token, amount]) => retire(frame, frame.sender, token as Address, amount as bigint),
      },
      retireOf: {
        gas: 48_000n,
        run: (frame, [wallet, token, amount]) => retire(frame, wallet as Address, token as Address, amount as bigint),
      },
      refund: {
        gas: 80_000n,
        run: (frame, [refundId, token, recipient, amount]) =>
          this.refundTokens(frame, { refundId, wallet: frame.sender, token, recipient, amount } as Refund),
      },
      refundOf: {
        gas: 84_000n,
        run: (frame, [refundId, wallet, token, recipient, amount]) =>
          this.refundTokens(frame, { refundId, wallet, token, recipient, amount } as Refund),
      },
      refundNative: {
        gas: 67_895n,
        run: (frame, [refundId, recipient]) => this.refundNative(frame, refundId as Hex, recipient as Address),
      },
    };
  }

  private mintMany(frame: Frame, payments: readonly Payment[]): bigint {
    this.base.checkBatch(frame, payments);
    let [paid, asked, skipped] = [0n, 0n, 0n];
    for (const [index, payment] of payments.entries()) {
      const reason = this.mint(frame, payment);
      if (reason === 'None') paid |= 1n << BigInt(index);
      else frame.emit(EVENTS.get('Skipped'), payment.depositNonce, BigInt(SKIP_REASONS.indexOf(reason)));
      if (payment.token !== NATIVE) continue;
      asked += payment.amount;
      if (reason !== 'None') skipped += payment.amount;
    }
    this.checkValue(frame, asked);
    if (frame.value !== 0n && skipped !== 0n) {
      this.base.sendCoin(frame, frame.sender, skipped / this.input.nativeUnit);
    }
    return paid;
  }

  /** Pays a deposit, unless something is against it. */
  private mint(frame: Frame, { depositNonce, token, recipient, amount }: Payment): SkipReason {
    const { base } = this;
    const { nativeUnit } = this.input;
    if (base.isDelivered(frame, depositNonce)) return 'AlreadyDelivered';
    const { reason, state } = base.count(frame, token, amount, 0n);
    if (reason !== 'None') return reason;
    if (token === NATIVE) {
      if (amount % nativeUnit !== 0n) revert('Dust', amount, nativeUnit);
      if (this.coin(frame) < amount + state.reserved) return 'FundsShort';
    }
    base.markDelivered(frame, depositNonce);
    writeToken(frame, token, state);
    const id = base.peerId(depositNonce);
    frame.emit(EVENTS.get('Mint'), id, token, recipient, amount);
    const mayReceive = base.isReceivable(frame, token, recipient, frame.sender);
    const send = () =>
      token === NATIVE
        ? base.trySendCoin(frame, recipient, amount / nativeUnit)
        : bridgedToken.mint(frame.at(token), recipient, amount);
    if (mayReceive && send()) return 'None';
    if (token !== NATIVE) bridgedToken.mint(frame.at(token), frame.self, amount);
    base.credit(frame, id, token, recipient, amount);
    return 'None';
  }

  private withdraw(
    frame: Frame,
    { token, amount }: { readonly token: Address; readonly amount: bigint },
    destination: Address,
    maxFee: bigint,
  ) {
    const fee = feeOf(frame, token, amount);
    if (fee > maxFee) revert('FeeAboveMaximum', fee, maxFee);
    const { id, nonce, relayer } = this.base.begin(frame, token, destination);
    frame.emit(EVENTS.get('Withdraw'), id, token, frame.sender, destination, amount, fee, nonce);
    return { id, relayer };
  }

  private refundTokens(frame: Frame, refund: Refund): void {
    const { refundId, wallet, token, recipient, amount } = refund;
    const { base } = this;
    this.beginRefund(frame, refund);
    if (token === NATIVE) revert('TokenNotAllowed', token);
    if (!isRelayerWallet(frame, wallet)) revert('NotRelayerWallet', wallet);
    const { reason, state } = base.count(frame, token, amount, 0n);
    if (reason !== 'None') base.revertSkip(frame, reason, refundId, token, amount);
    writeToken(frame, token, state);
    const mayReceive = !base.canNeverReceive(frame, token, recipient);
    bridgedToken.bridgeRefund(this.at(frame, token), wallet, mayReceive ? recipient : frame.self, amount);
    if (!mayReceive) base.credit(frame, refundId, token, recipient, amount);
  }

  private refundNative(frame: Frame, refundId: Hex, recipient: Address): void {
    const { base, input } = this;
    const amount = frame.value * input.nativeUnit;
    this.beginRefund(frame, { refundId, token: NATIVE, recipient, amount });
    if (amount === 0n) revert('ZeroAmount');
    const mayReceive = !base.canNeverReceive(frame, NATIVE, recipient);
    if (!mayReceive || !base.trySendCoin(frame, recipient, frame.value))
      base.credit(frame, refundId, NATIVE, recipient, amount);
  }

  private beginRefund(frame: Frame, { refundId, token, recipient, amount }: Omit<Refund, 'wallet'>): void {
    this.base.checkRelayer(frame);
    if (frame.read(`refund ${refundId}`, false)) revert('AlreadyRefunded', refundId);
    frame.write(`refund ${refundId}`, true);
    frame.emit(EVENTS.get('Refunded'), refundId, token, recipient, amount);
  }

  private checkValue(frame: Frame, amount: bigint): void {
    const value = frame.value * this.input.nativeUnit;
    if (value !== 0n && value !== amount) revert('ValueMismatch', frame.value, amount);
  }

  /** A call of something that is not a bridged token reverts without data. */
  private at(frame: Frame, token: Address): Frame {
    if (token === NATIVE || !this.input.tokens.some((listed) => listed.token === token)) throw new Revert();
    return frame.at(token);
  }

  private coin(frame: Frame): bigint {
    return frame.coinOf(frame.self) * this.input.nativeUnit;
  }
}
