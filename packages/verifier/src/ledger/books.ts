import type { Address, Hex } from 'viem';
import type { Side } from '../nodes/finality.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import { COIN, type AssetSettings, type VerifierSettings } from '../settings.js';
import type { ReleasedIntent } from '../trace/payments.js';
import type { Finding, FindingCode } from './finding.js';
import { NumberedIds } from './numbered-ids.js';
import { Overlay } from './overlay.js';
import { Sums } from './sums.js';
import { TrustBooks } from './trust.js';

/** An operation that began and is not delivered. */
export interface Operation {
  readonly number: number;
  /** Its symbol; null for a token that the settings do not list. */
  readonly asset: string | null;
  readonly recipient: Address;
  /** To be delivered: a withdrawal's without its fee. */
  readonly amount: bigint;
  readonly fee: bigint;
}

/** Why a payment is not explained yet. The question is open until it is answered. */
type Want = 'BEGINNING' | 'INTENT' | 'SWEEP' | 'FEE' | 'PAYER' | 'REFUND';

/** A delivery or a refund that is not explained. */
export interface Waiting {
  readonly side: Side;
  readonly id: Hex;
  readonly asset: string | null;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly want: Want;
  readonly intent: ExplainedIntent | null;
  /** The block of the sweep of an intent's transfer. */
  readonly sweptAt?: bigint;
  /** Its number can be delivered again. */
  readonly isReopened?: boolean;
}

/** The terms of a released intent. */
export interface ExplainedIntent extends ReleasedIntent {
  /**
   * Whether its sender signed them. False if the sender has no code now and its key did not; null if it is a contract
   * that does not confirm it now.
   */
  readonly isSigned: boolean | null;
}

/** The amount of a sweep of one transfer. */
interface SweptAmount {
  readonly amount: bigint;
  readonly blockNumber: bigint;
}

/** A fee policy of a token. */
interface Policy {
  readonly bps: bigint;
  readonly minFee: bigint;
}

/** The end of what was read of a chain. */
export interface Cursor {
  readonly number: bigint;
  readonly hash: Hex;
}

/** Bits of a paid id: the contract marks it as paid, and a payment of it was right. */
export const [MARKED, RIGHT] = [1, 2];

/** The attesters of a contract. */
interface AttesterSet {
  readonly number: bigint;
  readonly members: readonly Address[];
}

/** The books of one contract. */
export interface SideBooks {
  /** Numbers of operations that began here. */
  begun: number;
  /** The operations that began here and are not delivered on the other chain. */
  readonly pending: Overlay<Hex, Operation>;
  /** Those whose number was used up by a delivery with other terms. */
  readonly misdelivered: Overlay<number, Operation>;
  /** The bitmap of numbers that this contract delivered, by word. */
  readonly words: Overlay<number, bigint>;
  /** Intents, transfers and refunds that this contract paid: MARKED and RIGHT. */
  readonly paid: Overlay<Hex, number>;
  /** Current and former ones; the current one is `relayer`. */
  readonly wallets: Overlay<Address, true>;
  relayer: Address | null;
  attesters: AttesterSet | null;
}

/** Everything that a ledger has written down. */
export interface Books {
  readonly sides: Readonly<Record<Side, SideBooks>>;
  readonly waiting: Overlay<Hex, Waiting>;
  /** The amounts of sweeps by transfer, until its intent is settled. */
  readonly sweeps: Overlay<Hex, readonly SweptAmount[]>;
  /** The released intents whose sweep is missing, by transfer. */
  readonly unswept: Overlay<Hex, Hex>;
  /** All policies of a token of the partner chain, the one in force last. */
  readonly policies: Overlay<Address, readonly Policy[]>;
  readonly sums: ReadonlyMap<string, Sums>;
  readonly trust: TrustBooks;
  readonly findings: Finding[];
  /** Released intents whose sender, a contract, does not confirm their signature now. */
  unasked: number;
  /** Released intents of which the blocks that were searched do not say who paid them, or whether they were signed. */
  undecided: number;
}

/** Lookups made from the settings, which ledgers and forks share. */
export interface Bridge {
  readonly settings: VerifierSettings;
  readonly ids: Readonly<Record<Side, NumberedIds>>;
  readonly symbols: Readonly<Record<Side, ReadonlyMap<Address, string>>>;
  /** The token of XCN on Ethereum, in which intents are released. */
  readonly xcn: Address | null;
}

export function toBridge(settings: VerifierSettings): Bridge {
  const { ethereum, partner, assets } = settings;
  const toSymbols = (side: Side) => new Map(assets.map(({ symbol, tokens }) => [tokens[side], symbol]));
  return {
    settings,
    ids: { ethereum: new NumberedIds(ethereum), partner: new NumberedIds(partner) },
    symbols: { ethereum: toSymbols('ethereum'), partner: toSymbols('partner') },
    xcn: assets.find(isCoin)?.tokens.ethereum ?? null,
  };
}

/** Whether an asset is the native coin of the partner chain. */
export function isCoin({ tokens }: AssetSettings): boolean {
  return tokens.partner === COIN;
}

export function openBooks({ assets }: VerifierSettings): Books {
  const openSide = (): SideBooks => ({
    begun: 0,
    pending: new Overlay(),
    misdelivered: new Overlay(),
    words: new Overlay(),
    paid: new Overlay(),
    wallets: new Overlay(),
    relayer: null,
    attesters: null,
  });
  return {
    sides: { ethereum: openSide(), partner: openSide() },
    waiting: new Overlay(),
    sweeps: new Overlay(),
    unswept: new Overlay(),
    policies: new Overlay(),
    sums: new Map(assets.map((asset) => [asset.symbol, new Sums(isCoin(asset))])),
    trust: new TrustBooks(),
    findings: [],
    unasked: 0,
    undecided: 0,
  };
}

export function forkBooks(books: Books): Books {
  const forkSide = (side: SideBooks): SideBooks => ({
    ...side,
    pending: side.pending.fork(),
    misdelivered: side.misdelivered.fork(),
    words: side.words.fork(),
    paid: side.paid.fork(),
    wallets: side.wallets.fork(),
  });
  return {
    sides: { ethereum: forkSide(books.sides.ethereum), partner: forkSide(books.sides.partner) },
    waiting: books.waiting.fork(),
    sweeps: books.sweeps.fork(),
    unswept: books.unswept.fork(),
    policies: books.policies.fork(),
    sums: new Map([...books.sums].map(([symbol, sums]) => [symbol, sums.fork()])),
    trust: books.trust.fork(),
    findings: [...books.findings],
    unasked: books.unasked,
    undecided: books.undecided,
  };
}

export function otherSide(side: Side): Side {
  return side === 'ethereum' ? 'partner' : 'ethereum';
}

/** The place of a finding. */
export type Place = Pick<PlacedLog, 'transactionHash' | 'blockNumber'>;

export function toFinding(
  code: FindingCode,
  side: Side,
  { id, asset }: { readonly id: Hex | null; readonly asset: string | null },
  { transactionHash, blockNumber }: Place,
  why: string,
): Finding {
  return { code, side, id, asset, transactionHash, blockNumber, why };
}
