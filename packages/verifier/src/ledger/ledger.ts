import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { zeroAddress, type Address, type Hex } from 'viem';
import {
  readInteger,
  createDecoder,
  readHex,
  toBeginning,
  toPaid,
  type DecodedEvent,
  type FieldValue,
} from '../blocks/events.js';
import type { Side } from '../nodes/finality.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import { COIN, type VerifierSettings } from '../settings.js';
import {
  forkBooks,
  MARKED,
  openBooks,
  toBridge,
  toFinding,
  type Books,
  type Bridge,
  type Cursor,
  type ExplainedIntent,
  type SideBooks,
  type Waiting,
} from './books.js';
import type { Finding, FindingCode } from './finding.js';
import {
  explainIntent,
  explainPayer,
  explainRefund,
  recheckFees,
  refund,
  sweep,
  type ArrivedTransfer,
} from './intents.js';
import { begin, deliver, reopen } from './numbered.js';
import { readState, writeState } from './state.js';
import type { AssetSums, Sums } from './sums.js';
import type { TrustChange } from './trust.js';

/** A fact that the logs of the contracts do not say. */
export type LedgerQuestion =
  | { readonly kind: 'INTENT'; readonly id: Hex; readonly transactionHash: Hex }
  | {
      readonly kind: 'PAYER';
      readonly id: Hex;
      readonly transferId: Hex;
      readonly sweptAt: bigint;
      /** The sender, if it may have signed as a contract that it is no longer. */
      readonly unsignedBy: Address | null;
    }
  | {
      readonly kind: 'REFUND';
      readonly id: Hex;
      readonly token: Address;
      readonly amount: bigint;
      readonly recipient: Address;
      readonly blockNumber: bigint;
    };

/** The numbers that a contract's storage must show. */
export interface Counts {
  /** The number of operations that began in the contract, which is its nonce. */
  readonly begun: bigint;
  /** Its bitmap of delivered numbers of the other contract, by word. */
  readonly words: ReadonlyMap<bigint, bigint>;
  /** The operations that began in it and are not delivered. */
  readonly pending: number;
}

/** The keys of a contract, null before its deployment. */
export interface Keys extends Pick<SideBooks, 'relayer' | 'attesters'> {
  readonly wallets: readonly Address[];
}

const decode = createDecoder(bridgeLockAbi, bridgeMintAbi, adminTimelockAbi, sentinelAbi);

/** The finding that a waiting payment becomes when nothing explains it. */
const UNEXPLAINED: Readonly<Record<Waiting['want'], readonly [FindingCode, string]>> = {
  BEGINNING: ['NO_ORIGIN', 'No operation with this id began on the other chain.'],
  INTENT: ['NO_ORIGIN', 'Neither an operation nor the terms of an intent with this id are known.'],
  SWEEP: ['NOT_SWEPT', 'No sweep names its transfer with the whole amount.'],
  FEE: ['WRONG_INTENT', 'Its fee follows from no fee policy.'],
  PAYER: ['WRONG_INTENT', 'It is not known who made its transfer.'],
  REFUND: ['WRONG_REFUND', 'The transfer that it returns is not known.'],
};

/**
 * Keeps the books of a bridge from the logs of its contracts. It is pure: the reader gives it the logs of each chain in
 * order, the two chains interleaved in any way, and answers its questions.
 */
export class Ledger {
  /** The last blocks whose logs were applied. The reader sets them. */
  readonly cursors: Record<Side, Cursor | null>;

  private constructor(
    private readonly bridge: Bridge,
    private readonly books: Books,
    cursors: Readonly<Record<Side, Cursor | null>>,
  ) {
    this.cursors = { ...cursors };
  }

  /** The books of a bridge before its deployment. */
  static begin(settings: VerifierSettings): Ledger {
    return new Ledger(toBridge(settings), openBooks(settings), { ethereum: null, partner: null });
  }

  /**
   * The books of an earlier run, from `toState`. The reader must check that the cursors are still on their chains.
   *
   * @throws BadStateError
   */
  static resume(settings: VerifierSettings, state: unknown): Ledger {
    const { books, cursors } = readState(settings, state);
    return new Ledger(toBridge(settings), books, cursors);
  }

  /** A value for JSON that `resume` takes. */
  toState(): unknown {
    return writeState(this.bridge.settings, this.books, this.cursors);
  }

  /**
   * A copy for blocks that can still be replaced. It costs little, whatever the ledger's size. The ledger must not
   * change while a fork of it is in use.
   */
  fork(): Ledger {
    return new Ledger(this.bridge, forkBooks(this.books), this.cursors);
  }

  /** The contracts of a chain whose logs the ledger reads: the bridge's, its admins and its guardians. */
  watched(side: Side): readonly Address[] {
    const { contract, timelock, sentinel } = this.bridge.settings[side];
    const named = [timelock, sentinel].filter((address) => address !== undefined);
    return [...new Set([contract, ...named, ...this.books.trust.watched(side)])];
  }

  /** Writes down the next log of a chain. Other contracts' logs are ignored. */
  apply(side: Side, log: PlacedLog): void {
    const event = decode(log);
    if (event === null) return;
    const { contract } = this.bridge.settings[side];
    if (log.address === contract) this.write(side, event, log);
    this.books.trust.apply(side, this.bridge.settings[side], event, log);
  }

  private write(side: Side, event: DecodedEvent, log: PlacedLog): void {
    const { bridge, books } = this;
    const { name, args } = event;
    switch (name) {
      case 'Deposit':
      case 'Withdraw': {
        const beginning = toBeginning(event);
        if (beginning !== null) begin(bridge, books, side, beginning, log);
        return;
      }
      case 'Mint':
      case 'Release': {
        const paid = toPaid(event);
        if (paid !== null) deliver(bridge, books, side, paid, log);
        return;
      }
      case 'Refunded': {
        const paid = toPaid(event);
        if (paid !== null) refund(bridge, books, paid, log);
        return;
      }
      case 'Swept':
        this.findSums(side, COIN)?.add('swept', readInteger(args['amount']));
        return sweep(books, readHex(args['transferId']), readInteger(args['amount']), log.blockNumber);
      case 'Retired':
        return this.findSums(side, args['token'])?.add('retired', readInteger(args['amount']));
      case 'FeesCollected':
        return this.findSums(side, args['token'])?.add('collected', readInteger(args['amount']));
      case 'Credited':
        return this.findSums(side, args['token'])?.addOn(side, 'credited', readInteger(args['amount']));
      case 'Claimed':
        return this.findSums(side, args['token'])?.addOn(side, 'claimed', readInteger(args['amount']));
      case 'ToppedUp':
        return this.findSums(side, COIN)?.addOn(side, 'toppedUp', readInteger(args['amount']));
      case 'HandedOver':
        return this.findSums(side, args['token'])?.addOn(side, 'handedOver', readInteger(args['amount']));
      case 'Reopened':
        return reopen(bridge, books, side, readInteger(args['word']), readInteger(args['mask']));
      case 'IdReopened': {
        const { paid } = books.sides[side];
        const id = readHex(args['id']);
        return paid.set(id, (paid.get(id) ?? 0) & ~MARKED);
      }
      case 'RelayerChanged': {
        const own = books.sides[side];
        // The first one is of the deployment. Otherwise the ledger began too late, and stays without a relayer.
        if (own.relayer === null && readHex(args['previous']) !== zeroAddress) return;
        own.relayer = readHex(args['current']);
        return own.wallets.set(own.relayer, true);
      }
      case 'AttestersSet': {
        const members = args['attesters'] as readonly Address[];
        books.sides[side].attesters = { number: readInteger(args['setNumber']), members };
        return;
      }
      case 'FeePolicySet': {
        const token = readHex(args['token']);
        const policy = { bps: readInteger(args['bps']), minFee: readInteger(args['minFee']) };
        books.policies.set(token, [...(books.policies.get(token) ?? []), policy]);
        if (token === COIN) recheckFees(books);
        return;
      }
      default:
    }
  }

  private findSums(side: Side, token: FieldValue | undefined): Sums | undefined {
    return this.books.sums.get(this.bridge.symbols[side].get(readHex(token)) ?? '');
  }

  /** The questions without an answer. Their payments are unexplained. */
  takeQuestions(): readonly LedgerQuestion[] {
    return [...this.books.waiting.values()].flatMap((waiting) => toQuestion(waiting) ?? []);
  }

  /** Answers a question with the data of the release's transaction; null if it is not a release of an intent. */
  explainIntent(id: Hex, terms: ExplainedIntent | null): void {
    explainIntent(this.bridge, this.books, id, terms);
  }

  /**
   * Answers a question with the transfer that pays the intent; null if it was not found near its sweep.
   *
   * @param hadCode whether `unsignedBy` may have had code when the intent was accepted; null if it is not known.
   */
  explainPayer(id: Hex, transfer: Omit<ArrivedTransfer, 'blockNumber'> | null, hadCode: boolean | null = false): void {
    explainPayer(this.books, id, transfer, hadCode);
  }

  /** Answers a question with the transfer to a relayer wallet that has this refund id; null if there is none. */
  explainRefund(id: Hex, transfer: Pick<ArrivedTransfer, 'amount'> | null): void {
    explainRefund(this.books, id, transfer);
  }

  /** The contradictions that no later log can explain, in the order in which they were read. */
  get findings(): readonly Finding[] {
    return [...this.books.findings, ...this.books.trust.findings];
  }

  /** The payments whose origin was not read yet. Once the other chain is read past them, they are findings. */
  get unexplained(): readonly Finding[] {
    return [...this.books.waiting.values()].map((paid) => {
      const [code, why] = UNEXPLAINED[paid.want];
      return toFinding(code, paid.side, paid, paid, why);
    });
  }

  /** The changes of keys, sets, offices and settings, in the order in which they were read. */
  get trust(): readonly TrustChange[] {
    return this.books.trust.changes;
  }

  /** How many released intents have a sender, a contract, that does not confirm their signature now. */
  get unaskedAccounts(): number {
    return this.books.unasked;
  }

  /** How many released intents the blocks that were searched do not decide: who paid them, or whether it signed. */
  get undecidedIntents(): number {
    return this.books.undecided;
  }

  counts(side: Side): Counts {
    const { begun, words, pending } = this.books.sides[side];
    const entries = [...words.entries()].map(([word, bits]) => [BigInt(word), bits] as const);
    return { begun: BigInt(begun), words: new Map(entries), pending: pending.size };
  }

  /** The intents, transfers and refunds that a contract paid, and whether it marks them as paid. */
  *paidIds(side: Side): IterableIterator<readonly [id: Hex, isMarked: boolean]> {
    for (const [id, flags] of this.books.sides[side].paid.entries()) yield [id, (flags & MARKED) !== 0];
  }

  /** The keys of a contract. Its wallets are the current relayer's and all former ones. */
  keys(side: Side): Keys {
    const { relayer, attesters, wallets } = this.books.sides[side];
    return { relayer, attesters, wallets: [...wallets.entries()].map(([wallet]) => wallet) };
  }

  /** @throws RangeError for an asset that the settings do not list. */
  sums(symbol: string): AssetSums {
    const sums = this.books.sums.get(symbol);
    if (sums === undefined) throw new RangeError(`the settings have no asset ${symbol}`);
    return sums.toSheet();
  }
}

function toQuestion(waiting: Waiting): LedgerQuestion | null {
  const { want, id, token, amount, recipient, transactionHash, blockNumber, intent, sweptAt } = waiting;
  if (want === 'INTENT') return { kind: 'INTENT', id, transactionHash };
  if (want === 'REFUND') return { kind: 'REFUND', id, token, amount, recipient, blockNumber };
  if (want !== 'PAYER' || intent === null || sweptAt === undefined) return null;
  const unsignedBy = intent.isSigned === false ? intent.sender : null;
  return { kind: 'PAYER', id, transferId: intent.transferId, sweptAt, unsignedBy };
}
