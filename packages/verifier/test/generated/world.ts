import { zeroAddress, type Address, type Hex } from 'viem';
import {
  computeOperationId,
  computeRefundId,
  type ExplainedIntent,
  type PlacedLog,
  type Side,
  type VerifierSettings,
} from '@causeway/verifier';
import { encodeEvent, type EventArguments } from './event-encoder.ts';

/** A block with logs. Blocks between two of them have none. */
export interface GeneratedBlock {
  readonly side: Side;
  readonly number: bigint;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly logs: readonly PlacedLog[];
}

export interface GeneratorOptions {
  readonly seed: number;
  /** How many operations begin: deposits, withdrawals, intents and transfers that are refunded. */
  readonly operations: number;
  /** Beginnings in a second, on average. Default: 1. */
  readonly perSecond?: number;
}

export type Event = readonly [contract: Address, name: string, args: EventArguments];

/** Seconds between two blocks. */
export const PERIODS: Readonly<Record<Side, number>> = { ethereum: 12, partner: 2 };
/** Unix seconds of the first block of both chains, whose number is 0. */
export const GENESIS = 1_800_000_000;
const DEPLOYED_AT = { ethereum: 100n, partner: 600n };
export const DAY = 86_400;
export const SYMBOLS = ['ETH', 'USDC', 'XCN'] as const;
export type Asset = (typeof SYMBOLS)[number];

const contract = (index: number) => toAddress(0xc0, index);
export const [LOCK, MINT] = [contract(1), contract(2)];

export const GENERATED_SETTINGS: VerifierSettings = {
  ethereum: {
    chainId: 1,
    contract: LOCK,
    deployedAtBlock: DEPLOYED_AT.ethereum,
    timelock: contract(3),
    sentinel: contract(5),
  },
  partner: {
    chainId: 295,
    contract: MINT,
    deployedAtBlock: DEPLOYED_AT.partner,
    timelock: contract(4),
    sentinel: contract(6),
  },
  assets: [
    { symbol: 'ETH', decimals: 18, tokens: { ethereum: zeroAddress, partner: toAddress(0x70, 1) } },
    { symbol: 'USDC', decimals: 6, tokens: { ethereum: toAddress(0x70, 2), partner: toAddress(0x70, 3) } },
    { symbol: 'XCN', decimals: 18, tokens: { ethereum: toAddress(0x70, 4), partner: zeroAddress } },
  ],
  holdSeconds: 300,
  isLocal: false,
  operators: { addresses: [], needed: 1 },
};

/** Amounts are multiples of this, so that fees have remainders. */
export const UNITS: Readonly<Record<Asset, bigint>> = { ETH: 10n ** 12n, USDC: 1n, XCN: 10n ** 10n };
export const MINIMUM_FEES: Readonly<Record<Asset, bigint>> = { ETH: 10n ** 15n, USDC: 500_000n, XCN: 2n * 10n ** 18n };
const MAXIMA: Readonly<Record<Asset, number>> = { ETH: 10 ** 8, USDC: 10 ** 10, XCN: 10 ** 12 };

interface Policy {
  readonly bps: bigint;
  readonly minFee: bigint;
}

/** The roles of one contract. */
interface Roles {
  relayer: Address;
  guardian: Address;
  policyManager: Address;
  standby: Address;
  officeRound: bigint;
  setNumber: bigint;
  pauses: bigint;
  readonly offices: [Address, Address, Address];
}

/** A payment that a batch makes when it is due. */
export interface Payment {
  readonly dueAt: number;
  readonly number: bigint;
  readonly asset: Asset;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** The clock, the blocks and the accounts of both chains. */
export abstract class World {
  readonly settings = GENERATED_SETTINGS;
  /** The terms in the data of the transactions that release intents, by id. */
  readonly intents = new Map<Hex, ExplainedIntent>();
  /** The transfers of tokens to relayer wallets, by the id of their refund. */
  readonly refunds = new Map<Hex, { readonly sender: Address; readonly amount: bigint }>();
  /** The transfers that pay intents, by their ids. */
  readonly payers = new Map<Hex, { readonly sender: Address; readonly amount: bigint }>();

  protected readonly options: GeneratorOptions;
  protected readonly random: () => number;
  protected time = GENESIS + Number(DEPLOYED_AT.partner) * PERIODS.partner;
  /** Operations that began until now. */
  begun = 0;
  protected accounts = 0;
  protected transactions = 0;
  protected readonly agenda = new Map<number, (() => void)[]>();
  protected readonly logs: Record<Side, PlacedLog[]> = { ethereum: [], partner: [] };
  protected readonly nonces: Record<Side, bigint> = { ethereum: 0n, partner: 0n };
  protected readonly due: Record<Side, Payment[]> = { ethereum: [], partner: [] };
  protected readonly reopenings = new Map<string, bigint>();
  /** The amounts that holders on the partner chain can still withdraw. */
  protected readonly supply: Record<Asset, bigint> = { ETH: 0n, USDC: 0n, XCN: 0n };
  protected readonly unretired: Record<Asset, bigint> = { ETH: 0n, USDC: 0n, XCN: 0n };
  protected readonly fees: Record<Asset, bigint> = { ETH: 0n, USDC: 0n, XCN: 0n };
  protected readonly policies: Record<Asset, Policy>;
  protected readonly roles: Readonly<Record<Side, Roles>>;

  constructor(options: GeneratorOptions) {
    this.options = options;
    this.random = makeRandom(options.seed);
    this.policies = {
      ETH: { bps: 10n, minFee: MINIMUM_FEES.ETH },
      USDC: { bps: 10n, minFee: MINIMUM_FEES.USDC },
      XCN: { bps: 25n, minFee: MINIMUM_FEES.XCN },
    };
    this.roles = { ethereum: this.makeRoles('ethereum'), partner: this.makeRoles('partner') };
  }

  protected *closeBlock(side: Side): Generator<GeneratedBlock, void, undefined> {
    const period = PERIODS[side];
    if (this.time % period !== 0) return;
    if (this.time % (2 * PERIODS.ethereum) === 0) this.payDue(side);
    const logs = this.logs[side];
    if (logs.length === 0) return;
    const number = BigInt((this.time - GENESIS) / period);
    this.logs[side] = [];
    const placed = logs.map((log) => ({ ...log, blockNumber: number }));
    yield { side, number, hash: toBlockHash(side, number), timestamp: this.time, logs: placed };
  }

  /** Pays what is due on a chain in one batch. */
  protected abstract payDue(side: Side): void;

  protected makeRoles(side: Side): Roles {
    const { sentinel = zeroAddress } = this.settings[side];
    return {
      relayer: this.account(),
      guardian: sentinel,
      policyManager: this.account(),
      standby: zeroAddress,
      officeRound: 1n,
      setNumber: 1n,
      pauses: 0n,
      offices: [this.account(), this.account(), this.account()],
    };
  }

  protected send(side: Side, events: readonly Event[]): void {
    this.transactions += 1;
    const transactionHash = toHash(side === 'ethereum' ? 0xe : 0xa, this.transactions);
    const first = this.logs[side].length;
    for (const [index, [address, name, args]] of events.entries()) {
      const place = { blockNumber: 0n, transactionHash, logIndex: first + index };
      this.logs[side].push({ address, ...encodeEvent(name, args), ...place });
    }
  }

  protected at(time: number, action: () => void): void {
    const actions = this.agenda.get(time);
    if (actions === undefined) this.agenda.set(time, [action]);
    else actions.push(action);
  }

  protected later(from: number, to: number): number {
    return this.time + from + Math.floor(this.random() * (to - from));
  }

  protected takeNumber(side: Side): bigint {
    const number = this.nonces[side];
    this.nonces[side] += 1n;
    return number;
  }

  protected takeHash(): Hex {
    this.transactions += 1;
    return toHash(0xb, this.transactions);
  }

  protected computeId(side: Side, number: bigint): Hex {
    return computeOperationId(this.settings[side], number);
  }

  /** The id of a transfer to a relayer wallet. */
  protected arrivalId(asset: Asset): Hex {
    const { chainId } = this.settings.partner;
    return computeRefundId({ chainId, transactionHash: this.takeHash(), asset, callIndex: asset === 'XCN' ? 0 : 1 });
  }

  protected token(side: Side, symbol: Asset): Address {
    return this.settings.assets.find((asset) => asset.symbol === symbol)?.tokens[side] ?? zeroAddress;
  }

  protected makeAmount(asset: Asset): bigint {
    return 2n * MINIMUM_FEES[asset] + BigInt(Math.floor(this.random() * MAXIMA[asset])) * UNITS[asset];
  }

  /** Up to a tenth of what holders have; null if that is too little. */
  protected withdrawable(asset: Asset): bigint | null {
    const most = this.supply[asset] / 10n;
    const amount = this.makeAmount(asset);
    const minimum = 4n * MINIMUM_FEES[asset];
    if (most < minimum) return null;
    return amount < most ? amount : most - (most % UNITS[asset]);
  }

  protected computeFee(asset: Asset, amount: bigint): bigint {
    const { bps, minFee } = this.policies[asset];
    const share = (amount * bps) / 10_000n;
    return share < minFee ? minFee : share;
  }

  protected account(): Address {
    this.accounts += 1;
    return toAddress(0xa0, this.accounts);
  }

  protected pickSide(): Side {
    return this.random() < 0.5 ? 'ethereum' : 'partner';
  }

  protected pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }
}

function toBlockHash(side: Side, number: bigint): Hex {
  return toHash(side === 'ethereum' ? 0xe0 : 0xa0, Number(number));
}

function toHash(kind: number, index: number): Hex {
  return `0x${kind.toString(16).padStart(4, '0')}${index.toString(16).padStart(60, '0')}`;
}

function toAddress(kind: number, index: number): Address {
  return `0x${kind.toString(16)}${index.toString(16).padStart(38, '0')}`;
}

/** Mulberry32: a small generator of numbers from 0 up to 1. */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
