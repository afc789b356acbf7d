import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { toEventSelector, type Address, type Hex } from 'viem';
import { decodeBeginning, getSelectors } from '../blocks/events.js';
import type { Header } from '../blocks/header.js';
import { BadAnswerError } from '../blocks/json.js';
import { decodeTransaction, encodeTransaction } from '../blocks/transaction.js';
import { computeIntentId, computeRefundId } from '../digests/ids.js';
import { isSignedBySender } from '../checks/acceptance.js';
import type { Side } from '../nodes/finality.js';
import { NoQuorumError, type PlacedLog, type QuorumReader } from '../nodes/quorum-reader.js';
import type { Heads } from '../trace/heads.js';
import { readIntent } from '../trace/payments.js';
import type { Verifier } from '../verifier.js';
import type { ExplainedIntent } from './books.js';
import { findPayers } from './find-payers.js';
import { mayHaveHadCode } from './former-code.js';
import type { ArrivedTransfer } from './intents.js';
import type { Ledger, LedgerQuestion } from './ledger.js';

/** How far a chain is read. */
export interface ReadProgress {
  readonly side: Side;
  readonly fromBlock: bigint;
  readonly block: bigint;
  readonly toBlock: bigint;
  /** Events read so far in this run. */
  readonly logs: number;
}

export interface ReadOptions {
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Blocks before its sweep in which the transfer of a released intent is searched. Default: 10,000. */
  readonly payerBlocks?: bigint;
  /** The transfers that earlier runs found, by refund id, or null for those that they did not. New ones are added. */
  readonly transfers?: FoundTransfers;
  /** Leaves questions open whose transfer is not among `transfers`: `lookUp` finds it. Default: false. */
  readonly isQuick?: boolean;
}

/** Transfers by refund id; null for those that were not found. */
export type FoundTransfers = Map<Hex, (ArrivedTransfer & { readonly hadCode?: boolean | null }) | null>;

/** The settings name another contract than the bridge's, or a block after its deployment. */
export class NotDeployedError extends Error {
  override readonly name = 'NotDeployedError';
  constructor(
    readonly side: Side,
    contract: Address,
    deployedAtBlock: bigint,
  ) {
    super(`No event shows the deployment of ${contract} on ${side} from block ${deployedAtBlock} on`);
  }
}

/** The chain no longer has a block that the ledger has read. */
export class ReplacedError extends Error {
  override readonly name = 'ReplacedError';
  constructor(
    readonly side: Side,
    readonly number: bigint,
  ) {
    super(`Block ${number} of ${side} was replaced since the ledger read it: read the chains again from the start`);
  }
}

type RefundQuestion = Extract<LedgerQuestion, { readonly kind: 'REFUND' }>;
type IntentQuestion = Extract<LedgerQuestion, { readonly kind: 'INTENT' }>;

/** Blocks of the first request. */
const FIRST_RANGE = 2_000n;
const LARGEST_RANGE = 500_000n;
/** More logs in an answer count as none, so that memory is bounded. Nodes return at most 10,000. */
const MAX_LOGS = 20_000;
/** Below this, the next range is larger. */
const FEW_LOGS = 1_000;
/** A transfer is swept soon after its block is final, and later only while the wallet has no coin. */
const PAYER_BLOCKS = 10_000n;
/** Intents whose terms are read together. */
const AT_A_TIME = 16;
/** Blocks of a request for transfers to relayer wallets. */
const REFUND_RANGE = 20_000n;
/** All events of the contracts. */
const EVENTS = [
  ...new Set(
    [bridgeLockAbi, bridgeMintAbi, adminTimelockAbi, sentinelAbi]
      .flat()
      .flatMap((item) => (item.type === 'event' ? [toEventSelector(item)] : [])),
  ),
];
/** The events that name a contract whose logs a ledger reads too. */
const NAMING = getSelectors(bridgeLockAbi, ['OwnershipTransferred', 'GuardianChanged']);
const [WITHDRAW = '0x'] = getSelectors(bridgeMintAbi, ['Withdraw']);
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/**
 * Reads both chains into a ledger, from where it stopped up to these blocks. The chain whose last read block is older
 * is read next, so that few operations are pending.
 *
 * @throws NoQuorumError, ReplacedError, NotDeployedError
 */
export async function readLedger(
  ledger: Ledger,
  verifier: Verifier,
  to: Heads,
  { onProgress = () => undefined, payerBlocks, transfers = new Map(), isQuick = false }: ReadOptions = {},
): Promise<void> {
  const answers = { payerBlocks, transfers, isQuick };
  const chains = await Promise.all(
    (['ethereum', 'partner'] as const).map(async (side) => ChainReading.begin(ledger, verifier, side, to[side])),
  );
  let logs = 0;
  // A run that failed leaves questions open.
  await answerQuestions(ledger, verifier, to, answers);
  for (;;) {
    const [chain] = chains.filter(({ isAtEnd }) => !isAtEnd).toSorted((a, b) => (a.readUntil < b.readUntil ? -1 : 1));
    if (chain === undefined) break;
    logs += await chain.readRange();
    await answerQuestions(ledger, verifier, to, answers);
    onProgress({ ...chain.progress, logs });
  }
  for (const side of ['ethereum', 'partner'] as const) checkDeployment(ledger, verifier, side, to[side]);
}

/** Without the events of the deployment, everything that began before the first block would be missing. */
function checkDeployment(ledger: Ledger, { settings }: Verifier, side: Side, end: Header): void {
  const { contract, deployedAtBlock } = settings[side];
  if (end.number >= deployedAtBlock && ledger.keys(side).relayer === null)
    throw new NotDeployedError(side, contract, deployedAtBlock);
}

/** One chain while it is read. */
class ChainReading {
  private size = FIRST_RANGE;
  /** Whether nodes refused a range: then the next ones grow slowly. */
  private hasShrunk = false;

  private constructor(
    private readonly ledger: Ledger,
    private readonly reader: QuorumReader,
    private readonly side: Side,
    private readonly end: Header,
    private readonly fromBlock: bigint,
    private next: bigint,
    /** Unix seconds of the last block that was read. */
    public readUntil: bigint,
  ) {}

  static async begin(ledger: Ledger, verifier: Verifier, side: Side, end: Header): Promise<ChainReading> {
    const [reader, cursor] = [verifier.readers[side], ledger.cursors[side]];
    const number = cursor?.number ?? verifier.settings[side].deployedAtBlock;
    const next = cursor === null ? number : number + 1n;
    if (number > end.number) return new ChainReading(ledger, reader, side, end, number, next, end.timestamp);
    const { hash, timestamp } = await reader.headerAt(number);
    if (cursor !== null && hash !== cursor.hash) throw new ReplacedError(side, number);
    return new ChainReading(ledger, reader, side, end, number, next, timestamp);
  }

  get isAtEnd(): boolean {
    return this.next > this.end.number;
  }

  get progress(): Omit<ReadProgress, 'logs'> {
    return { side: this.side, fromBlock: this.fromBlock, block: this.next - 1n, toBlock: this.end.number };
  }

  /** Reads the next blocks: more after few events, fewer after many, or when nodes refuse the range. */
  async readRange(): Promise<number> {
    for (;;) {
      const last = this.next + this.size - 1n;
      const header = last >= this.end.number ? this.end : await this.reader.headerAt(last);
      try {
        return await this.apply(header);
      } catch (error) {
        if (!(error instanceof NoQuorumError) || this.size === 1n) throw error;
        this.size = this.size / 2n;
        this.hasShrunk = true;
      }
    }
  }

  /** All logs are read before the first one is applied, so that a failure leaves the ledger as it was. */
  private async apply(header: Header): Promise<number> {
    const logs = await this.readLogs(header);
    for (const log of logs) this.ledger.apply(this.side, log);
    this.ledger.cursors[this.side] = { number: header.number, hash: header.hash };
    this.next = header.number + 1n;
    this.readUntil = header.timestamp;
    const larger = this.hasShrunk ? this.size + this.size / 4n + 1n : this.size * 2n;
    if (logs.length < FEW_LOGS) this.size = larger < LARGEST_RANGE ? larger : LARGEST_RANGE;
    return logs.length;
  }

  /** The logs of all watched contracts, and of those that these logs name. */
  private async readLogs(header: Header): Promise<readonly PlacedLog[]> {
    const logs: PlacedLog[] = [];
    const known: Address[] = [];
    const preview = this.ledger.fork();
    for (;;) {
      const address = preview.watched(this.side).filter((one) => !known.includes(one));
      if (address.length === 0) break;
      known.push(...address);
      const query = { address, topics: EVENTS, fromBlock: this.next, toBlock: header.number };
      const limit = this.next === header.number ? Infinity : MAX_LOGS;
      const found = await this.reader.logsAtOnce(query, header, limit);
      for (const log of found) {
        logs.push(log);
        if (NAMING.includes(log.topics[0] ?? '0x')) preview.apply(this.side, log);
      }
    }
    return logs.toSorted(comparePlaces);
  }
}

function comparePlaces(a: PlacedLog, b: PlacedLog): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : Number(a.blockNumber - b.blockNumber);
}

/** Answers what logs alone do not say. */
async function answerQuestions(
  ledger: Ledger,
  verifier: Verifier,
  to: Heads,
  { isQuick, ...search }: Omit<LookUpOptions, 'wallets'> & { readonly isQuick: boolean },
): Promise<void> {
  const intents = ledger.takeQuestions().filter((question) => question.kind === 'INTENT');
  for (let first = 0; first < intents.length; first += AT_A_TIME) {
    const some = intents.slice(first, first + AT_A_TIME);
    const terms = await Promise.all(some.map(async (question) => findIntent(verifier, question, to.partner)));
    for (const [index, { id }] of some.entries()) ledger.explainIntent(id, terms[index] ?? null);
  }
  // The terms of an intent raise the question of its payer.
  const questions = ledger.takeQuestions();
  const found = search.transfers;
  if (!isQuick) await lookUp(questions, verifier, to, { ...search, wallets: ledger.keys('partner').wallets });
  for (const question of questions) {
    const transfer = isKnown(question, found) ? (found.get(toTransferId(question)) ?? null) : undefined;
    if (transfer === undefined) continue;
    if (question.kind === 'REFUND') ledger.explainRefund(question.id, transfer);
    else ledger.explainPayer(question.id, transfer, transfer?.hadCode);
  }
}

interface LookUpOptions {
  /** The relayer wallets. */
  readonly wallets: readonly Address[];
  readonly payerBlocks?: bigint | undefined;
  /** Receives what is found. */
  readonly transfers: FoundTransfers;
}

/**
 * Looks up the transfers of refunds and released intents, which can take minutes. It needs no ledger, so that one can
 * go on meanwhile.
 *
 * @throws NoQuorumError
 */
export async function lookUp(
  questions: readonly LedgerQuestion[],
  verifier: Verifier,
  to: Heads,
  { wallets, payerBlocks: most = PAYER_BLOCKS, transfers: found }: LookUpOptions,
): Promise<void> {
  const open = questions.filter((question) => !isKnown(question, found));
  const refunds = open.filter((question) => question.kind === 'REFUND');
  if (refunds.length > 0) await findRefunds(verifier, refunds, { wallets, end: to.partner, found });
  const payers = open.filter((question) => question.kind === 'PAYER');
  const unknown = payers.filter(({ transferId }) => !found.has(transferId));
  await findPayers(verifier, unknown, { wallets, most, found });
  for (const { transferId, unsignedBy } of payers) {
    const transfer = found.get(transferId) ?? null;
    const isAsked = unsignedBy !== null && transfer?.sender === unsignedBy;
    found.set(transferId, transfer);
    if (!isAsked) continue;
    const where = { transferAt: transfer.blockNumber, end: to.partner, most };
    const hadCode = await mayHaveHadCode(verifier.readers.partner, unsignedBy, where);
    found.set(transferId, { ...transfer, hadCode });
  }
}

function toTransferId(question: LedgerQuestion): Hex {
  return question.kind === 'PAYER' ? question.transferId : question.id;
}

/** Whether the transfer was looked up, and for an unsigned intent the code of its payer, too. */
function isKnown(question: LedgerQuestion, found: FoundTransfers): boolean {
  const transfer = found.get(toTransferId(question));
  if (question.kind !== 'PAYER' || transfer === undefined || transfer === null) return transfer !== undefined;
  return question.unsignedBy !== transfer.sender || transfer.hadCode !== undefined;
}

/** The terms of a release of an intent, from its transaction, whose hash proves them. */
async function findIntent(
  { readers, settings }: Verifier,
  { transactionHash }: IntentQuestion,
  end: Header,
): Promise<ExplainedIntent | null> {
  const transaction = await readers.ethereum.fromAnyNode(`transaction ${transactionHash}`, async (ask) => {
    const found = decodeTransaction(encodeTransaction(await ask('eth_getTransactionByHash', [transactionHash])));
    if (found.hash !== transactionHash) throw new BadAnswerError(`it has another transaction ${found.hash}`);
    return found;
  });
  const intent = readIntent(transaction, settings.ethereum.contract);
  if (intent === null) return null;
  const id = computeIntentId(settings.partner, intent);
  return { ...intent, isSigned: await isSignedBySender(intent, id, readers.partner, end.hash) };
}

/**
 * Finds the transfers to relayer wallets that refunds of tokens return, backwards from the refunds: a refund's id is
 * made from the place of its transfer.
 */
async function findRefunds(
  verifier: Verifier,
  refunds: readonly RefundQuestion[],
  {
    wallets,
    end,
    found,
  }: { readonly wallets: readonly Address[]; readonly end: Header; readonly found: Map<Hex, ArrivedTransfer | null> },
): Promise<void> {
  const { readers, settings } = verifier;
  const open = new Map(refunds.map((refund) => [refund.id, refund]));
  const assets = new Map(settings.assets.map(({ symbol, tokens }) => [tokens.partner, symbol]));
  const { chainId, deployedAtBlock } = settings.partner;
  const address = [...new Set(refunds.map(({ token }) => token))];
  const recipients = wallets.map((wallet): Hex => `0x${wallet.slice(2).padStart(64, '0')}`);
  let toBlock = refunds.reduce((last, { blockNumber }) => (blockNumber > last ? blockNumber : last), 0n);
  while (open.size > 0 && toBlock >= deployedAtBlock) {
    const first = toBlock - REFUND_RANGE + 1n;
    const fromBlock = first > deployedAtBlock ? first : deployedAtBlock;
    const query = { address, topics: [TRANSFER], indexed: [null, recipients], fromBlock, toBlock };
    const transfers = await readers.partner.logs(query, end);
    for (const transfer of transfers) {
      const { address: token, topics, data, logIndex, transactionHash, blockNumber } = transfer;
      const asset = assets.get(token) ?? '';
      const id = computeRefundId({ chainId, transactionHash, asset, callIndex: logIndex });
      if (!open.delete(id)) continue;
      const isOfBurn = await belongsToBurn(verifier, transfer, transfers, end);
      found.set(id, isOfBurn ? null : { blockNumber, sender: toAddress(topics[1]), amount: BigInt(data) });
    }
    toBlock = fromBlock - 1n;
  }
  for (const id of open.keys()) found.set(id, null);
}

/** Whether a withdrawal handed in the tokens: each one those of the first transfer of its sender and amount. */
async function belongsToBurn(
  { readers, settings }: Verifier,
  { address: token, topics, data, logIndex, transactionHash, blockNumber }: PlacedLog,
  transfers: readonly PlacedLog[],
  end: Header,
): Promise<boolean> {
  const before = transfers.filter(
    (one) =>
      one.transactionHash === transactionHash &&
      one.address === token &&
      one.logIndex < logIndex &&
      one.data === data &&
      one.topics.join() === topics.join(),
  );
  const { contract: address } = settings.partner;
  const query = { address, topics: [WITHDRAW], fromBlock: blockNumber, toBlock: blockNumber };
  const burns = (await readers.partner.logs(query, end)).filter((log) => {
    const event = log.transactionHash === transactionHash ? decodeBeginning(log) : null;
    return event?.token === token && event.sender === toAddress(topics[1]) && event.amount === BigInt(data);
  });
  return before.length < burns.length;
}

function toAddress(word = ''): Address {
  return `0x${word.slice(-40)}`;
}
