import { toEventSelector, type Address, type Hex } from 'viem';
import { decodeBeginning, decodePaid, type PaidEvent } from '../blocks/events.js';
import { decodeHeader, type Header } from '../blocks/header.js';
import { decodeReceipt, type Receipt } from '../blocks/receipt.js';
import { decodeTransaction, type Transaction } from '../blocks/transaction.js';
import { verifyReceiptProof, type MerklePath } from '../blocks/trie.js';
import { recoverSigner } from '../checks/key-signature.js';
import { computeIntentId, computeOperationId, computeRefundId } from '../digests/ids.js';
import type { Side } from '../nodes/finality.js';
import { COIN, type VerifierSettings } from '../settings.js';
import { readIntent } from './payments.js';

/** A transaction with its block's header and the two paths from the header's roots. */
export interface Evidence {
  /** In RLP. */
  readonly header: Hex;
  /** The position in the block. */
  readonly index: number;
  readonly transaction: MerklePath;
  readonly receipt: MerklePath;
}

/** Where an operation began or was paid. */
export interface StatedPlace {
  readonly chainId: number;
  readonly blockNumber: string;
  readonly blockHash: Hex;
  /** Unix seconds of the block. */
  readonly timestamp: string;
  readonly transactionHash: Hex;
}

/** The facts that the evidence of a paid operation proves, as JSON. Amounts are in atomic units. */
export interface Statement {
  readonly kind: 'DEPOSIT' | 'WITHDRAWAL' | 'INTENT' | 'REFUND';
  /** The id of the operation, or of the refund. */
  readonly id: Hex;
  /** Null for an intent and for a refund. */
  readonly number: string | null;
  readonly asset: string;
  readonly sender: Address;
  readonly recipient: Address;
  readonly amount: string;
  readonly fee: string;
  /** The account that a payment went to, and its position: see `computeRefundId`. Null for a numbered operation. */
  readonly wallet: Address | null;
  readonly callIndex: number | null;
  readonly began: StatedPlace;
  readonly paid: StatedPlace;
}

/** The parts of a statement that name what is proven; the rest follows from the evidence. */
export type Subject = Pick<Statement, 'kind' | 'id' | 'callIndex'>;

/** A part of a proof that contradicts another one. */
export interface ProofProblem {
  /** Its path in the file, such as `statement.amount`. */
  readonly field: string;
  readonly why: string;
}

/** The conclusion from evidence. */
export interface Derived {
  /** Null when the evidence does not contain the subject. */
  readonly statement: Statement | null;
  readonly problems: readonly ProofProblem[];
  /** Conditions that must also hold, and that the evidence does not prove. */
  readonly open: readonly string[];
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
/** The chain on which each kind begins, and the event that pays it. */
const FORMS = {
  DEPOSIT: { begins: 'ethereum', paid: 'Mint' },
  WITHDRAWAL: { begins: 'partner', paid: 'Release' },
  INTENT: { begins: 'partner', paid: 'Release' },
  REFUND: { begins: 'partner', paid: 'Refunded' },
} as const;

/** The chain on which a kind is paid. */
const paysOn = (kind: Statement['kind']): Side => (FORMS[kind].paid === 'Release' ? 'ethereum' : 'partner');

/** A transaction that its header proves. */
interface Opened {
  readonly side: Side;
  readonly header: Header;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
}

type Terms = Omit<Statement, 'kind' | 'id' | 'callIndex' | 'began' | 'paid' | 'amount' | 'fee'> & {
  readonly amount: bigint;
  readonly fee: bigint;
};

/** Collects the contradictions between parts of a proof. */
class Contradictions {
  readonly problems: ProofProblem[] = [];
  readonly open: string[] = [];

  expect(field: string, found: unknown, expected: unknown): void {
    if (found !== expected) this.problems.push({ field, why: `it is ${String(found)} instead of ${String(expected)}` });
  }

  add(field: string, why: string): null {
    this.problems.push({ field, why });
    return null;
  }
}

/** Derives everything that the evidence proves about an operation. Pure: it asks no node. */
export async function deriveStatement(
  subject: Subject,
  evidence: { readonly beginning: Evidence; readonly payment: Evidence },
  settings: VerifierSettings,
): Promise<Derived> {
  const found = new Contradictions();
  const { kind, id, callIndex } = subject;
  const begun = open('beginning', evidence.beginning, FORMS[kind].begins, found);
  const payment = open('payment', evidence.payment, paysOn(kind), found);
  const paid = payment === null ? null : findPaid(payment, subject, settings, found);
  const terms =
    begun === null || paid === null || payment === null
      ? null
      : await readTerms(begun, { ...payment, event: paid }, subject, settings, found);
  const { problems, open: unproven } = found;
  if (begun === null || payment === null || paid === null || terms === null)
    return { statement: null, problems, open: unproven };
  found.expect('payment: the token', paid.token, findToken(settings, paysOn(kind), terms.asset));
  found.expect('payment: the recipient', paid.recipient, terms.recipient);
  found.expect('payment: the fee', paid.fee, terms.fee);
  found.expect('payment: the amount', paid.amount, terms.amount - terms.fee);
  const { amount, fee, ...others } = terms;
  const places = { began: toPlace(begun, settings), paid: toPlace(payment, settings) };
  return {
    statement: { kind, id, callIndex, ...others, amount: `${amount}`, fee: `${fee}`, ...places },
    problems,
    open: unproven,
  };
}

function open(name: string, evidence: Evidence, side: Side, found: Contradictions): Opened | null {
  const { index } = evidence;
  const read = <T>(field: string, what: () => T): T | null => {
    try {
      return what();
    } catch (error) {
      return found.add(`${name}.${field}`, error instanceof Error ? error.message : String(error));
    }
  };
  const header = read('header', () => decodeHeader(evidence.header));
  if (header === null) return null;
  const transaction = read(`transaction, ${name}.index or ${name}.header`, () =>
    decodeTransaction(verifyReceiptProof(header.transactionsRoot, index, evidence.transaction)),
  );
  const receipt = read(`receipt, ${name}.index or ${name}.header`, () =>
    decodeReceipt(verifyReceiptProof(header.receiptsRoot, index, evidence.receipt)),
  );
  if (transaction === null || receipt === null) return null;
  if (!receipt.hasSucceeded) return found.add(name, 'the transaction failed');
  return { side, header, transaction, receipt };
}

function findPaid(
  { side, receipt }: Opened,
  { kind, id }: Subject,
  settings: VerifierSettings,
  found: Contradictions,
): PaidEvent | null {
  const { paid: name } = FORMS[kind];
  const logs = receipt.logs.filter(({ address }) => address === settings[side].contract);
  const event = logs
    .map((log) => decodePaid({ ...log, logIndex: 0 }))
    .find((one) => one?.id === id && one.name === name);
  return event ?? found.add('statement.id or statement.kind', `the payment's transaction has no ${name} of ${id}`);
}

/** The terms of an operation by its beginning, which the payment has to match. */
async function readTerms(
  begun: Opened,
  payment: Opened & { readonly event: PaidEvent },
  { kind, id, callIndex }: Subject,
  settings: VerifierSettings,
  found: Contradictions,
): Promise<Terms | null> {
  const { side, receipt } = begun;
  if (kind === 'DEPOSIT' || kind === 'WITHDRAWAL') {
    found.expect('statement.callIndex', callIndex, null);
    const logs = receipt.logs.filter(({ address }) => address === settings[side].contract);
    const event = logs.map((log) => decodeBeginning({ ...log, logIndex: 0 })).find((one) => one?.id === id);
    if (event === null || event === undefined)
      return found.add('statement.id or statement.kind', `the beginning's transaction has no ${kind} of ${id}`);
    found.expect('beginning: the id', id, computeOperationId(settings[side], event.number));
    const { token, number, sender, recipient, amount, fee } = event;
    const asset = findSymbol(settings, side, token);
    return { asset, number: `${number}`, sender, recipient, amount, fee, wallet: null };
  }
  if (callIndex === null) return found.add('statement.callIndex', 'it is missing');
  const { event } = payment;
  const asset = findSymbol(settings, 'partner', kind === 'REFUND' ? event.token : COIN);
  const { chainId } = settings.partner;
  const transferId = computeRefundId({ chainId, transactionHash: begun.transaction.hash, asset, callIndex });
  if (kind === 'REFUND') {
    found.expect('statement.callIndex: the id', id, transferId);
    const moved = await readTransfer(begun, event.token, callIndex, event, found);
    if (moved === null) return null;
    const { recipient } = event;
    if (recipient !== moved.sender) found.open.push(`Operators chose ${recipient} to receive it, not its payer.`);
    return { asset, number: null, ...moved, recipient, fee: 0n };
  }
  const intent = readIntent(payment.transaction, settings.ethereum.contract);
  if (intent === null) return found.add('payment', 'its transaction is not a direct call of releaseIntent');
  found.expect('payment: the id of the terms', computeIntentId(settings.partner, intent), id);
  found.expect('statement.callIndex: the transfer', intent.transferId, transferId);
  if ((await recoverSigner(id, intent.signature)) !== intent.sender)
    found.open.push(`The account ${intent.sender} accepts the signature, which is not its key's.`);
  found.open.push('The fee is that of the policy when the intent was signed.');
  const moved = await readTransfer(begun, COIN, callIndex, { ...event, recipient: intent.sender }, found);
  if (moved === null) return null;
  found.expect('payment: the sender', intent.sender, moved.sender);
  found.expect('payment: the amount of the terms', intent.amount, moved.amount);
  const { recipient } = intent;
  return { asset, number: null, ...moved, recipient, fee: event.fee };
}

/** A transfer to a relayer wallet. `event` has the account and the amount that are taken where no receipt has them. */
async function readTransfer(
  { transaction, receipt }: Opened,
  token: Address,
  callIndex: number,
  event: Pick<PaidEvent, 'recipient' | 'amount' | 'fee'>,
  found: Contradictions,
): Promise<Pick<Terms, 'sender' | 'wallet' | 'amount'> | null> {
  found.open.push('The paid account was a wallet of the relayer.');
  const amount = event.amount + event.fee;
  if (token === COIN) {
    if (callIndex === 0)
      return { sender: await transaction.recoverSender(), wallet: transaction.to, amount: transaction.value };
    found.open.push(
      'The transfer has this payer and amount: a call inside a transaction leaves no trace in its block.',
    );
    return { sender: event.recipient, wallet: null, amount };
  }
  const log = receipt.logs.find(
    ({ address, topics: [topic], data }) => address === token && topic === TRANSFER && BigInt(data) === amount,
  );
  if (log === undefined) return found.add('beginning', `it has no transfer of ${amount}`);
  found.open.push('The transfer has this position in its block: the receipts before it are not in the file.');
  return { sender: toAddress(log.topics[1]), wallet: toAddress(log.topics[2]), amount };
}

function toPlace({ side, header, transaction }: Opened, settings: VerifierSettings): StatedPlace {
  const { number, hash: blockHash, timestamp } = header;
  const { chainId } = settings[side];
  return {
    chainId,
    blockNumber: `${number}`,
    blockHash,
    timestamp: `${timestamp}`,
    transactionHash: transaction.hash,
  };
}

function findSymbol({ assets }: VerifierSettings, side: Side, token: Address): string {
  return assets.find(({ tokens }) => tokens[side] === token)?.symbol ?? `the unknown token ${token}`;
}

function findToken({ assets }: VerifierSettings, side: Side, asset: string): Address | null {
  return assets.find(({ symbol }) => symbol === asset)?.tokens[side] ?? null;
}

function toAddress(word: Hex | undefined): Address {
  return `0x${(word ?? '').slice(-40)}`;
}
