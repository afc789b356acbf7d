import { ASSETS, tokenOfAsset, type AddressBook, type Asset } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, testUsdcAbi } from '@causeway/protocol/abi';
import {
  concatHex,
  encodeFunctionData,
  keccak256,
  padHex,
  sliceHex,
  toHex,
  zeroAddress,
  type Abi,
  type Address,
  type Hex,
} from 'viem';
import type { Account } from '../../simulation/chain/account.ts';
import { ACTORS, ENDING, FORWARDER, REFUSER, REGRETFUL, type TwinCall, type TwinChain } from './both-chains.ts';

/** A random call, who sends it, and its name for messages. */
export interface RandomCall extends TwinCall {
  readonly from: Account;
  readonly story: string;
}

/** Random numbers from a seed (mulberry32). */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** From 0 to `below` - 1. */
  number(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  of<T>(items: readonly T[]): T {
    return items[this.number(items.length)] as T;
  }

  chance(percent: number): boolean {
    return this.number(100) < percent;
  }
}

const DECIMALS = { ETH: 18, USDC: 6, XCN: 18 } as const;
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] } as const;
/** Numbers of operations are small, so that some come twice. */
const NUMBERS = 40;
const REFUNDS = 12;
const FRESH = [1, 2, 3].map((index): Address => `0x${keccak256(toHex(index)).slice(-40)}`);
const ABI: Abi = [...bridgeLockAbi, ...bridgeMintAbi, ...testUsdcAbi];

/** Makes random calls of one chain: mostly meaningful ones by the right account. */
export class RandomCalls {
  private readonly actors = Object.values(ACTORS);

  constructor(
    private readonly dice: Dice,
    private readonly book: AddressBook,
    private readonly twin: TwinChain,
  ) {}

  next(): RandomCall {
    const kinds = this.twin.side === 'ethereum' ? this.onEthereum() : this.onPartner();
    const total = kinds.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.dice.number(total);
    for (const [weight, make] of kinds) {
      left -= weight;
      if (left < 0) return make();
    }
    throw new Error('No kind was chosen');
  }

  /** Calls that come first, so that users have tokens and the bridge has money. */
  opening(): RandomCall[] {
    const users = [ACTORS.alice, ACTORS.bob];
    const { ethereum, partner } = this.book;
    if (this.twin.side === 'partner') {
      const call = this.caller(partner.bridgeMint);
      const mints = users.flatMap(({ address }, user) =>
        Object.values(partner.tokens).map((token, index) => {
          const amount = index === 0 ? 40n * 10n ** 18n : 40n * 10n ** 6n;
          return call(ACTORS.relayer, 'mint', [1_000n + BigInt(2 * user + index), token, address, amount]);
        }),
      );
      return [...mints, call(ACTORS.bob, 'topUp', [], 10n ** 20n)];
    }
    return [
      ...users.flatMap((user) =>
        Object.values(ethereum.tokens).flatMap((token) => [
          this.caller(token)(user, 'mint', [user.address, 10n ** 20n]),
          this.caller(token)(user, 'approve', [ethereum.bridgeLock, 10n ** 30n]),
        ]),
      ),
      ...Object.entries(ethereum.tokens).map(([asset, token]) => {
        const args = [token, asset === 'USDC' ? 50n * 10n ** 6n : 50n * 10n ** 18n, ACTORS.bob.address];
        return this.caller(ethereum.bridgeLock)(ACTORS.alice, 'deposit', args);
      }),
      this.caller(ethereum.bridgeLock)(ACTORS.bob, 'topUp', [], 10n ** 20n),
    ];
  }

  private onEthereum(): [number, () => RandomCall][] {
    const { dice } = this;
    const lock = this.book.ethereum.bridgeLock;
    const call = this.caller(lock, this.relayer());
    return [
      [8, () => call(this.user(), 'depositNative', [this.recipient()], this.amount('ETH'))],
      [10, () => this.deposit()],
      [6, () => call(null, 'releaseNative', [this.number(), this.recipient(), this.amount('ETH'), this.fee('ETH')])],
      [6, () => this.release()],
      [8, () => call(null, 'releaseMany', [this.payments('withdrawNonce'), NO_ATTESTATION])],
      [8, () => this.releaseIntent()],
      [2, () => call(this.anybody(), 'collectFees', [this.token()])],
      [1, () => call(this.admin(), 'setTreasury', [dice.of([ACTORS.treasury.address, ...FRESH])])],
      [2, () => this.blocklist()],
      ...this.shared(lock),
    ];
  }

  private onPartner(): [number, () => RandomCall][] {
    const { dice } = this;
    const mint = this.book.partner.bridgeMint;
    const call = this.caller(mint, this.relayer());
    const token = () => this.token();
    return [
      [8, () => this.mint()],
      [8, () => this.mintMany()],
      [14, () => this.burn()],
      [6, () => call(this.user(), 'withdrawNative', [this.recipient(), this.maxFee('XCN')], this.amount('XCN'))],
      [4, () => call(null, 'retire', [token(), this.amount('ETH') / 4n])],
      [1, () => call(null, 'retireOf', [dice.of(this.wallets()), token(), this.amount('USDC')])],
      [
        3,
        () => call(null, 'refund', [this.refundId(), token(), this.recipient(), this.amount('USDC'), NO_ATTESTATION]),
      ],
      [2, () => this.refundOf()],
      [4, () => call(null, 'refundNative', [this.refundId(), this.recipient(), NO_ATTESTATION], this.amount('XCN'))],
      [2, () => call(this.policyManager(), 'setFeePolicy', [token(), this.policy()])],
      [1, () => call(this.admin(), 'setFeeCeiling', [token(), this.policy()])],
      ...this.shared(mint),
    ];
  }

  /** What both contracts have, and what accounts do beside the bridge. */
  private shared(bridge: Address): [number, () => RandomCall][] {
    const { dice } = this;
    const call = this.caller(bridge, this.relayer());
    const flag = () => dice.chance(50);
    return [
      [4, () => call(this.anybody(), 'topUp', [], dice.chance(10) ? 0n : 10n ** 18n * BigInt(dice.number(200)))],
      [3, () => call(this.user(), 'claim', [this.token(), this.recipient()])],
      [3, () => call(this.anybody(), 'claimFor', [this.token(), this.recipient()])],
      [1, () => call(this.admin(), 'redirectCredit', [this.token(), this.recipient(), this.recipient()])],
      [1, () => call(dice.of([ACTORS.guardian, ACTORS.admin, ACTORS.bob]), 'pause', [flag(), flag()])],
      [6, () => call(this.admin(), 'unpause', [this.pauseCount(bridge), true, true])],
      [2, () => call(ACTORS.admin, 'setGuardian', [dice.of([FRESH[0], ACTORS.guardian.address]), true])],
      [1, () => call(this.admin(), 'setRelayer', [dice.of(this.wallets())])],
      [1, () => call(this.admin(), 'setStandby', [dice.of([zeroAddress, ...this.wallets()])])],
      [1, () => call(dice.of([ACTORS.guardian, ACTORS.bob]), 'activateStandby', [])],
      [1, () => call(this.admin(), 'setPolicyManager', [dice.of([ACTORS.bob.address, ACTORS.policyManager.address])])],
      [1, () => call(this.admin(), 'setListing', [this.token(), dice.chance(70), dice.chance(70)])],
      [3, () => call(ACTORS.admin, 'setListing', [this.token(), true, true])],
      [1, () => call(this.admin(), 'setLimitCeiling', [this.token(), this.limits()])],
      [2, () => call(this.policyManager(), 'setOutflowLimit', [this.token(), this.limits().capacity, this.window()])],
      [1, () => call(this.policyManager(), 'setMaxAmount', [this.token(), this.limits().maxAmount])],
      [4, () => this.tokenCall()],
      [3, () => this.coinTransfer()],
    ];
  }

  private deposit(): RandomCall {
    const asset = this.dice.of(['USDC', 'XCN'] as const);
    const token = this.book.ethereum.tokens[asset];
    const lock = this.book.ethereum.bridgeLock;
    const user = this.user();
    const ready = this.dice.number(4);
    if (ready === 0) return this.caller(token)(user, 'mint', [user.address, this.amount(asset) * 3n]);
    if (ready === 1)
      return this.caller(token)(user, 'approve', [lock, this.dice.chance(30) ? 2n ** 256n - 1n : this.amount(asset)]);
    const listed = this.dice.chance(95) ? token : this.token();
    return this.caller(lock)(user, 'deposit', [listed, this.amount(asset), this.recipient()]);
  }

  private release(): RandomCall {
    const asset = this.dice.of(ASSETS);
    const args = [this.number(), tokenOfAsset(this.book, 'ethereum', asset), this.recipient()];
    return this.caller(this.book.ethereum.bridgeLock, this.relayer())(null, 'release', [
      ...args,
      this.amount(asset),
      this.fee(asset),
    ]);
  }

  private releaseIntent(): RandomCall {
    const index = this.dice.number(3);
    const isUsual = this.dice.chance(80);
    const intent = {
      sender: ACTORS.alice.address,
      recipient: isUsual ? (FRESH[index] ?? zeroAddress) : this.recipient(),
      amount: isUsual ? 10n ** 18n : this.amount('XCN'),
      deadline: 4_000_000_000n,
      nonceHash: padHex(toHex(index), { size: 32 }),
      signature: `0x${'ab'.repeat(this.dice.chance(5) ? 1_025 : 65)}`,
    };
    const args = [intent, this.fee('XCN'), NO_ATTESTATION];
    return this.caller(this.book.ethereum.bridgeLock, this.relayer())(null, 'releaseIntent', args);
  }

  private mint(): RandomCall {
    const asset = this.dice.of(ASSETS);
    const amount = this.amount(asset);
    const value = asset === 'XCN' && this.dice.chance(60) ? amount : this.dice.chance(4) ? 1n : 0n;
    const args = [this.number(), tokenOfAsset(this.book, 'partner', asset), this.recipient(), amount];
    return this.caller(this.book.partner.bridgeMint, this.relayer())(null, 'mint', args, value);
  }

  private mintMany(): RandomCall {
    const payments = this.payments('depositNonce');
    const native = payments.filter(({ token }) => token === zeroAddress).reduce((sum, { amount }) => sum + amount, 0n);
    const value = this.dice.chance(50) ? native : this.dice.chance(5) ? 1n : 0n;
    return this.caller(this.book.partner.bridgeMint, this.relayer())(
      null,
      'mintMany',
      [payments, NO_ATTESTATION],
      value,
    );
  }

  private burn(): RandomCall {
    const asset = this.dice.of(['ETH', 'ETH', 'USDC', 'USDC', 'XCN'] as const);
    const amount = this.amount(asset) / this.dice.of([1n, 10n]);
    const args = [tokenOfAsset(this.book, 'partner', asset), amount, this.recipient(), this.maxFee(asset)];
    const from = this.dice.chance(5) ? this.relayer() : this.user();
    return this.caller(this.book.partner.bridgeMint)(from, 'burn', args);
  }

  private refundOf(): RandomCall {
    const wallet = this.dice.of(this.wallets());
    const args = [this.refundId(), wallet, this.token(), this.recipient(), this.amount('USDC'), NO_ATTESTATION];
    return this.caller(this.book.partner.bridgeMint, this.relayer())(null, 'refundOf', args);
  }

  private blocklist(): RandomCall {
    const account = this.dice.of([...FRESH, ACTORS.bob.address, this.book.ethereum.bridgeLock]);
    return this.caller(this.book.ethereum.tokens.USDC)(this.user(), 'setBlocklisted', [account, this.dice.chance(30)]);
  }

  /** Plain transfers of tokens, to the relayer wallet as well. */
  private tokenCall(): RandomCall {
    const { ethereum, partner } = this.book;
    const token = this.dice.of(Object.values(this.twin.side === 'ethereum' ? ethereum.tokens : partner.tokens));
    const call = this.caller(token);
    const amount = this.amount(this.dice.of(['USDC', 'ETH']));
    const [from, to] = [this.user(), this.recipient()];
    if (this.dice.chance(30)) return call(from, 'approve', [this.user().address, amount]);
    if (this.dice.chance(30)) return call(from, 'transferFrom', [this.user().address, to, amount]);
    return call(this.dice.chance(15) ? this.relayer() : from, 'transfer', [to, amount]);
  }

  /** Coin to an account, or through a contract that sends it on, takes it back or ends. */
  private coinTransfer(): RandomCall {
    const from = this.anybody();
    const to = this.recipient();
    const value = this.dice.chance(20) ? 0n : BigInt(this.dice.number(5)) * 10n ** 18n;
    const memo: Hex = this.dice.chance(50) ? padHex('0x77', { size: 32 }) : '0x';
    const through = this.dice.chance(40) ? this.dice.of([FORWARDER, REGRETFUL, ENDING]) : null;
    const data = through === null ? memo : concatHex([padHex(to, { size: 32 }), memo]);
    return { from, to: through ?? to, value, data, story: `${from.name} sends ${value} to ${to} by ${through}` };
  }

  private payments<N extends string>(nonce: N) {
    const count = this.dice.number(5);
    return Array.from({ length: count }, () => {
      const asset = this.dice.of(ASSETS);
      const side = this.twin.side;
      const item = { token: tokenOfAsset(this.book, side, asset), recipient: this.recipient(), fee: this.fee(asset) };
      const amount = this.dice.chance(3) ? 0n : this.amount(asset) / 2n + 10n ** 10n;
      const rounded = asset === 'XCN' ? amount - (amount % 10n ** 10n) : amount;
      return { ...item, amount: rounded, [nonce]: this.number() } as typeof item & { amount: bigint } & Record<
          N,
          bigint
        >;
    });
  }

  /** Encodes a call of the present relayer wallet when `from` is null; sometimes somebody else tries it. */
  private caller(to: Address, relayer: Account = ACTORS.relayer) {
    return (from: Account | null, functionName: string, args: readonly unknown[], value = 0n): RandomCall => {
      const sender = from ?? (this.dice.chance(3) ? this.user() : relayer);
      const abi = functionName === 'approve' || functionName.startsWith('transfer') ? bridgedTokenAbi : this.abiOf(to);
      const data = encodeFunctionData({ abi, functionName, args });
      return { from: sender, to, data, value, story: `${sender.name}: ${functionName}(${show(args)}) value ${value}` };
    };
  }

  private abiOf(to: Address): Abi {
    if (to === this.book.ethereum.bridgeLock) return bridgeLockAbi;
    if (to === this.book.partner.bridgeMint) return bridgeMintAbi;
    return ABI;
  }

  /** The account that is the relayer wallet now. */
  private relayer(): Account {
    const { ethereum, partner } = this.book;
    const found = this.read(this.twin.side === 'ethereum' ? ethereum.bridgeLock : partner.bridgeMint, 'relayer');
    return this.actors.find(({ address }) => padHex(address, { size: 32 }) === found) ?? ACTORS.relayer;
  }

  /** The count that the admin has to name. */
  private pauseCount(bridge: Address): bigint {
    return this.dice.chance(10) ? 7n : BigInt(sliceHex(this.read(bridge, 'pauses'), 64));
  }

  private read(to: Address, functionName: 'relayer' | 'pauses'): Hex {
    const { model } = this.twin;
    const data = encodeFunctionData({ abi: bridgeLockAbi, functionName });
    return model.call({ from: zeroAddress, to, value: 0n, data }, model.head).data;
  }

  private user = () => this.dice.of([ACTORS.alice, ACTORS.bob]);
  private anybody = () => this.dice.of(this.actors);
  private admin = () => (this.dice.chance(90) ? ACTORS.admin : ACTORS.bob);
  private policyManager = () => (this.dice.chance(85) ? ACTORS.policyManager : ACTORS.bob);
  private wallets = () => [ACTORS.relayer.address, ACTORS.secondRelayer.address];
  private number = () => BigInt(this.dice.number(NUMBERS));
  private refundId = () => padHex(toHex(this.dice.number(REFUNDS)), { size: 32 });
  private window = () => this.dice.of([60n, 3_600n, 7_200n, 30n, 0n]);

  private token(): Address {
    const { side } = this.twin;
    if (this.dice.chance(5)) return FRESH[2] ?? zeroAddress;
    return tokenOfAsset(this.book, side, this.dice.of(ASSETS));
  }

  /** Mostly somebody who can receive; sometimes an account that refuses or never can. */
  private recipient(): Address {
    const { ethereum, partner } = this.book;
    const never = [zeroAddress, ethereum.bridgeLock, partner.bridgeMint, partner.tokens.ETH, ethereum.tokens.USDC];
    if (this.dice.chance(70)) return this.dice.of([ACTORS.alice.address, ACTORS.bob.address, ...FRESH]);
    return this.dice.of([REFUSER, ...this.wallets(), ...never]);
  }

  private amount(asset: Asset): bigint {
    const coin = 10n ** BigInt(DECIMALS[asset]);
    const whole = BigInt(this.dice.number(70)) * coin;
    switch (this.dice.number(12)) {
      case 0:
        return this.dice.of([0n, 1n, coin / 10n - 1n, coin / 10n, 60n * coin, 60n * coin + 1n, 101n * coin]);
      case 1:
        return whole + 1n;
      case 2:
        return whole + 10n ** 10n * BigInt(this.dice.number(1_000));
      default:
        return whole / BigInt(1 + this.dice.number(20));
    }
  }

  private fee(asset: Asset): bigint {
    return this.dice.chance(30) ? 0n : (10n ** BigInt(DECIMALS[asset]) * BigInt(this.dice.number(20))) / 100n;
  }

  private maxFee(asset: Asset): bigint {
    return this.dice.chance(10) ? 0n : 10n ** BigInt(DECIMALS[asset]) * 100n;
  }

  /** Around the ceilings; not always in the units of the token. */
  private limits() {
    const most = () => (10n ** BigInt(this.dice.of([6, 18])) * BigInt(this.dice.number(400))) / this.dice.of([1n, 10n]);
    return { capacity: most(), window: this.window(), maxAmount: most() };
  }

  private policy() {
    const coin = 10n ** BigInt(this.dice.of([6, 18]));
    const minFee = (coin * BigInt(this.dice.number(6))) / 100n;
    return {
      bps: this.dice.of([0, 25, 100, 125, 126, 10_000]),
      minFee,
      minAmount: minFee * BigInt(this.dice.number(11)),
    };
  }
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join(', ');
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}: ${show(inner)}`)
      .join(', ')}}`;
  return String(value);
}
