import { bridgedTokenAbi } from '@causeway/contracts/abi';
import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';
import { readContract } from '../checks/contract-reads.js';
import type { Finding, FindingCode } from '../ledger/finding.js';
import type { Ledger } from '../ledger/ledger.js';
import type { AssetSums } from '../ledger/sums.js';
import type { Side } from '../nodes/finality.js';
import { COIN, type AssetSettings } from '../settings.js';
import type { Heads } from '../trace/heads.js';
import type { Verifier } from '../verifier.js';
import {
  BALANCE_UNITS,
  BRIDGE_SLOTS,
  readHandedIn,
  readNumber,
  readRelayer,
  readReserved,
  TOKEN_SLOTS,
  toMappingSlot,
  toSlot,
} from './storage-layout.js';
import { readAccount, type KnownBy } from './storage-proof.js';

/** The evidence for a part of the state. */
export interface Evidence {
  readonly what: string;
  readonly side: Side;
  readonly by: KnownBy;
  /** False for balances of tokens that are not the bridge's: their storage has no known layout. */
  readonly isProvable: boolean;
}

/** The balance sheet of one asset: the state of the contracts beside the sums of their events. Atomic units. */
export interface AssetSheet {
  readonly asset: string;
  readonly decimals: number;
  /** The collateral of BridgeLock, without fees and credits. */
  readonly locked: bigint;
  /** The supply on the partner chain; of native XCN, its mints less what left again. */
  readonly supply: bigint;
  /** Handed in by withdrawals, and not retired yet. */
  readonly held: bigint;
  /** Deposits not minted, and withdrawals not released. */
  readonly inFlight: bigint;
  /** `locked` less `supply - held + inFlight`: funds that nobody can claim. */
  readonly surplus: bigint;
  /** Fees that BridgeLock holds. */
  readonly fees: bigint;
  /** Payments that their recipients did not take. */
  readonly credits: Readonly<Record<Side, bigint>>;
  /** The coin of BridgeMint without credits; null for tokens. */
  readonly float: bigint | null;
  readonly sums: AssetSums;
}

export type BalanceSheet = readonly AssetSheet[];

export interface StateCheck {
  readonly findings: readonly Finding[];
  readonly evidence: readonly Evidence[];
  readonly sheet: BalanceSheet;
}

/** A slot, and what the events say that it holds. */
interface Expectation {
  readonly slot: Hex;
  readonly what: string;
  readonly code: FindingCode;
  readonly id: Hex | null;
  readonly asset: string | null;
  readonly read: (word: bigint) => bigint;
  readonly expected: bigint;
  /** In place of the two numbers. */
  readonly explain?: (found: bigint) => string;
}

const NAMES = { ethereum: 'BridgeLock', partner: 'BridgeMint' } as const;
const OTHER = { ethereum: 'partner', partner: 'ethereum' } as const;
const SIDES = ['ethereum', 'partner'] as const;
/** How many numbers a finding lists. */
const LISTED = 5;

/**
 * Compares the state of the contracts at two blocks with a ledger that was read up to them.
 *
 * @throws NoQuorumError
 * @throws RangeError for a ledger of other blocks.
 */
export async function checkState(ledger: Ledger, verifier: Verifier, at: Heads): Promise<StateCheck> {
  for (const side of SIDES)
    if (ledger.cursors[side]?.hash !== at[side].hash)
      throw new RangeError(`the ledger was not read up to block ${at[side].number} of ${side}`);
  const check = new Check(ledger, verifier, at);
  const reserves = { ethereum: await check.readBridge('ethereum'), partner: await check.readBridge('partner') };
  const sheet: AssetSheet[] = [];
  for (const asset of verifier.settings.assets) sheet.push(await check.readAsset(asset, reserves));
  const { findings, evidence } = check;
  return { findings, evidence, sheet };
}

/** The coin of a contract, and what it keeps for others. */
interface Reserves {
  readonly coin: bigint;
  readonly reserved: ReadonlyMap<Address, bigint>;
  readonly claimable: ReadonlyMap<Address, bigint>;
}

class Check {
  readonly findings: Finding[] = [];
  readonly evidence: Evidence[] = [];

  constructor(
    private readonly ledger: Ledger,
    private readonly verifier: Verifier,
    private readonly at: Heads,
  ) {}

  /** Checks the storage of a bridge contract. */
  async readBridge(side: Side): Promise<Reserves> {
    const { assets } = this.verifier.settings;
    const expectations = [
      ...this.expectKeys(side),
      ...assets.flatMap((asset) => this.expectReserves(side, asset)),
      ...this.expectBitmap(side),
      ...this.expectPaid(side),
    ];
    const { contract } = this.verifier.settings[side];
    const what = `the numbers, paid ids, keys and reserves of ${NAMES[side]}`;
    const slots = expectations.map(({ slot }) => slot);
    const { balance, values } = await this.readAccount(side, contract, slots, what);
    this.compare(side, expectations, values);
    const words = new Map(slots.map((slot, index) => [slot, values[index] ?? 0n]));
    const read = (slot: bigint) =>
      new Map(assets.map(({ tokens }) => [tokens[side], words.get(toMappingSlot(slot, tokens[side])) ?? 0n]));
    const reserved = [...read(BRIDGE_SLOTS.tokens)].map(([token, word]) => [token, readReserved(word)] as const);
    return { coin: balance, reserved: new Map(reserved), claimable: read(BRIDGE_SLOTS.totalClaimable) };
  }

  /** Checks the supply and the collateral of an asset. */
  async readAsset({ symbol, decimals, tokens }: AssetSettings, of: Record<Side, Reserves>): Promise<AssetSheet> {
    const sums = this.ledger.sums(symbol);
    const isCoin = tokens.partner === COIN;
    const { supply, held } = isCoin ? sums : await this.readToken(symbol, tokens.partner, sums);
    const lock = { reserved: of.ethereum.reserved.get(tokens.ethereum) ?? 0n };
    const balance = tokens.ethereum === COIN ? of.ethereum.coin : await this.readBalance(symbol, tokens.ethereum);
    const locked = balance - lock.reserved;
    if (locked < sums.locked)
      this.add(
        'SHORT',
        'ethereum',
        symbol,
        `BridgeLock holds ${locked} of ${symbol} for ${sums.locked} that are owed.`,
      );
    const float = isCoin ? of.partner.coin - (of.partner.reserved.get(COIN) ?? 0n) : null;
    if (float !== null && float < 0n)
      this.add('SHORT', 'partner', symbol, `BridgeMint lacks ${-float} of ${symbol} for payments that are credited.`);
    const credits = {
      ethereum: of.ethereum.claimable.get(tokens.ethereum) ?? 0n,
      partner: of.partner.claimable.get(tokens.partner) ?? 0n,
    };
    const { inFlight } = sums;
    const surplus = locked - (supply - held + inFlight);
    const fees = lock.reserved - credits.ethereum;
    return { asset: symbol, decimals, locked, supply, held, inFlight, surplus, fees, credits, float, sums };
  }

  private async readToken(asset: string, token: Address, sums: AssetSums) {
    const { wallets } = this.ledger.keys('partner');
    const slots = [toSlot(TOKEN_SLOTS.supply), ...wallets.map((wallet) => toMappingSlot(TOKEN_SLOTS.slots, wallet))];
    const { values } = await this.readAccount('partner', token, slots, `the supply of ${asset}`);
    const [supply = 0n, ...words] = values;
    const held = words.reduce((sum, word) => sum + readHandedIn(word), 0n);
    for (const [what, found, expected] of [
      [`the supply of ${asset}`, supply, sums.supply],
      [`the ${asset} that relayer wallets hold for withdrawals`, held, sums.held],
    ] as const)
      if (found !== expected)
        this.add(
          'STATE_DIFFERS',
          'partner',
          asset,
          `In the state, ${what} is ${found}; by the events, it is ${expected}.`,
        );
    return { supply, held };
  }

  /** Reads the balance of a token that BridgeLock holds. */
  private async readBalance(asset: string, token: Address): Promise<bigint> {
    const { readers, settings } = this.verifier;
    const balance = await readContract(readers.ethereum, {
      blockHash: this.at.ethereum.hash,
      address: token,
      abi: bridgedTokenAbi,
      functionName: 'balanceOf',
      args: [settings.ethereum.contract],
    });
    this.evidence.push({
      what: `the ${asset} that BridgeLock holds`,
      side: 'ethereum',
      by: 'QUORUM',
      isProvable: false,
    });
    return balance as bigint;
  }

  private async readAccount(side: Side, address: Address, slots: readonly Hex[], what: string) {
    const account = { address, slots, unit: BALANCE_UNITS[side] };
    const state = await readAccount(this.verifier.readers[side], this.at[side], account);
    this.evidence.push({ what, side, by: state.by, isProvable: true });
    return state;
  }

  /** The slots that hold its own number, relayer and attesters. */
  private expectKeys(side: Side): readonly Expectation[] {
    const { begun } = this.ledger.counts(side);
    const { attesters: set, relayer } = this.ledger.keys(side);
    const [state, hash] = [toSlot(BRIDGE_SLOTS.state), toSlot(BRIDGE_SLOTS.attesterSet)];
    return [
      expectValue(state, 'the number of its next operation', begun, readNumber),
      ...(relayer === null ? [] : [expectValue(state, 'its relayer', BigInt(relayer), readRelayer)]),
      ...(set === null ? [] : [expectValue(hash, 'the hash of its attesters', BigInt(hashSet(set)))]),
    ];
  }

  private expectReserves(side: Side, { symbol, tokens }: AssetSettings): readonly Expectation[] {
    const { credited, claimed, feesHeld } = this.ledger.sums(symbol);
    const credits = credited[side] - claimed[side];
    const reserved = credits + (side === 'ethereum' ? feesHeld : 0n);
    const [state, claimable] = [BRIDGE_SLOTS.tokens, BRIDGE_SLOTS.totalClaimable].map((slot) =>
      toMappingSlot(slot, tokens[side]),
    ) as [Hex, Hex];
    return [
      { ...expectValue(state, `the ${symbol} that it reserves`, reserved, readReserved), asset: symbol },
      { ...expectValue(claimable, `the ${symbol} that it credits`, credits), asset: symbol },
    ];
  }

  /** All words of numbers that began on the other chain, and any that have deliveries. */
  private expectBitmap(side: Side): readonly Expectation[] {
    const { words } = this.ledger.counts(side);
    const { begun } = this.ledger.counts(OTHER[side]);
    const count = Number((begun + 255n) / 256n);
    const keys = new Set([...Array.from({ length: count }, (_, word) => BigInt(word)), ...words.keys()]);
    return [...keys].map((word) => {
      const expected = words.get(word) ?? 0n;
      const explain = (found: bigint) =>
        [
          listNumbers('It marks as delivered, without an event', word, found & ~expected),
          listNumbers('It does not mark as delivered, in spite of an event', word, expected & ~found),
        ].join('');
      const slot = toMappingSlot(BRIDGE_SLOTS.delivered, word);
      return { ...expectValue(slot, '', expected), code: 'BITMAP_DIFFERS', explain };
    });
  }

  private expectPaid(side: Side): readonly Expectation[] {
    return [...this.ledger.paidIds(side)].map(([id, isMarked]) => {
      const slot = toMappingSlot(BRIDGE_SLOTS.paid, id);
      return { ...expectValue(slot, `the mark of ${id} as paid`, isMarked ? 1n : 0n), id };
    });
  }

  private compare(side: Side, expectations: readonly Expectation[], values: readonly bigint[]): void {
    for (const [index, { what, code, id, asset, read, expected, explain }] of expectations.entries()) {
      const found = read(values[index] ?? 0n);
      if (found === expected) continue;
      const why = explain?.(found) ?? `In its state, ${what} is ${found}; by its events, it is ${expected}.`;
      this.add(code, side, asset, `${NAMES[side]}: ${why}`, id);
    }
  }

  private add(code: FindingCode, side: Side, asset: string | null, why: string, id: Hex | null = null): void {
    const { number: blockNumber } = this.at[side];
    this.findings.push({ code, side, id, asset, transactionHash: null, blockNumber, why });
  }
}

function expectValue(slot: Hex, what: string, expected: bigint, read = (word: bigint) => word): Expectation {
  return { slot, what, code: 'STATE_DIFFERS', id: null, asset: null, read, expected };
}

/** "It marks as delivered, without an event: 3, 7 and 4 more." Empty without a bit. */
function listNumbers(text: string, word: bigint, bits: bigint): string {
  const numbers = Array.from({ length: 256 }, (_, bit) => BigInt(bit)).filter((bit) => (bits >> bit) & 1n);
  if (numbers.length === 0) return '';
  const listed = numbers.slice(0, LISTED).map((bit) => word * 256n + bit);
  const more = numbers.length > LISTED ? ` and ${numbers.length - LISTED} more` : '';
  return `${text}: ${listed.join(', ')}${more}. `;
}

/** As `Attestations.hashOf`. */
function hashSet({ number, members }: { readonly number: bigint; readonly members: readonly Address[] }): Hex {
  return keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'address[]' }], [number, members]));
}
