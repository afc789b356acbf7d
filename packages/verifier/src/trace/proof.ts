import type { Hex } from 'viem';
import type { Side } from '../nodes/finality.js';
import { readProvenBlock } from '../nodes/proven-block.js';
import { NoQuorumError } from '../nodes/quorum-reader.js';
import type { VerifierSettings } from '../settings.js';
import type { Verifier } from '../verifier.js';
import { valueOf, type OperationFacts } from './operation.js';
import { deriveStatement, type Derived, type Evidence, type Statement, type Subject } from './statement.js';

/** The version of the files that this code writes. It reads no other one. */
const VERSION = 1;

/** The proof of one delivered or refunded operation, as JSON. `checkProof` checks it without nodes. */
export interface ProofFile {
  readonly format: 'causeway-proof';
  readonly version: number;
  readonly bridge: Readonly<Record<Side, { readonly chainId: number; readonly contract: Hex }>>;
  /** Everything that the evidence proves. */
  readonly statement: Statement;
  readonly beginning: Evidence;
  readonly payment: Evidence;
}

/** The file is not a proof of this version for this bridge. */
export class ProofFileError extends Error {
  override readonly name = 'ProofFileError';
  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(`${field} ${problem}`);
  }
}

/** A proof, and what its evidence says. */
export interface CheckedProof extends Omit<Derived, 'statement'> {
  readonly file: ProofFile;
}

/**
 * Collects the proof of an operation that the facts show as delivered or refunded. It can prove a wrong payment, which
 * `problems` names.
 *
 * @returns null when the facts have no payment that belongs to the beginning.
 * @throws NoQuorumError
 */
export async function collectProof(facts: OperationFacts, verifier: Verifier): Promise<CheckedProof | null> {
  const [begun, delivery, refund] = [valueOf(facts.beginning), valueOf(facts.delivery), valueOf(facts.refund)];
  if (begun === null) return null;
  const isOfIntent = begun.kind === 'PAYMENT' && delivery?.intent?.transferId === begun.transferId;
  const payment = begun.kind === 'EVENT' || isOfIntent ? delivery : refund;
  if (payment === null) return null;
  const subject: Subject =
    begun.kind === 'EVENT'
      ? { kind: begun.side === 'ethereum' ? 'DEPOSIT' : 'WITHDRAWAL', id: begun.id, callIndex: null }
      : { kind: isOfIntent ? 'INTENT' : 'REFUND', id: payment.id, callIndex: begun.callIndex };
  const evidence = { beginning: await collect(verifier, begun), payment: await collect(verifier, payment) };
  const { statement, ...derived } = await deriveStatement(subject, evidence, verifier.settings);
  if (statement === null) return null;
  const { settings } = verifier;
  const bridge = { ethereum: identify(settings, 'ethereum'), partner: identify(settings, 'partner') };
  return { file: { format: 'causeway-proof', version: VERSION, bridge, statement, ...evidence }, ...derived };
}

interface Place {
  readonly side: Side;
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
}

async function collect({ readers }: Verifier, { side, blockNumber, transactionHash }: Place): Promise<Evidence> {
  const { header, transactions } = await readProvenBlock(readers[side], blockNumber);
  const transaction = transactions.find(({ hash }) => hash === transactionHash);
  if (transaction === undefined)
    throw new NoQuorumError(side, `block ${blockNumber}`, ['it was replaced during the trace'], false);
  const { index, receiptPath } = transaction;
  return { header: header.encoded, index, transaction: transaction.findPath(), receipt: receiptPath };
}

const identify = (settings: VerifierSettings, side: Side) => ({
  chainId: settings[side].chainId,
  contract: settings[side].contract.toLowerCase() as Hex,
});

/**
 * Checks a proof without nodes: recomputes hashes, paths, events, ids and terms. The reader must still compare the two
 * block hashes of its statement with a source that it trusts.
 *
 * @param json the parsed file.
 * @returns `problems` names each field that contradicts the evidence.
 * @throws ProofFileError for any other file, version or bridge.
 */
export async function checkProof(json: unknown, settings: VerifierSettings): Promise<CheckedProof> {
  const file = readProof(json, settings);
  const { statement: given } = file;
  const { statement, problems, open } = await deriveStatement(given, file, settings);
  return { file, problems: [...problems, ...(statement === null ? [] : compare('statement', given, statement))], open };
}

function compare(path: string, given: unknown, derived: unknown): CheckedProof['problems'] {
  if (typeof derived === 'object' && derived !== null)
    return Object.entries(derived).flatMap(([name, value]) =>
      compare(`${path}.${name}`, (given as Record<string, unknown>)[name], value),
    );
  if (given === derived) return [];
  const source = SOURCES.find(([start]) => path.startsWith(start))?.[1] ?? 'the evidence';
  return [{ field: path, why: `it is ${String(given)}; ${source} shows ${String(derived)}` }];
}

const SOURCES = [
  ['statement.began.', 'beginning.header or beginning.transaction'],
  ['statement.paid.', 'payment.header or payment.transaction'],
] as const;

type Check = (value: unknown) => boolean;
type Shape = Check | { readonly [name: string]: Shape };

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const isInteger: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const [isHash, isAddress, isBytes, isDecimal] = [
  /^0x[0-9a-f]{64}$/,
  /^0x[0-9a-f]{40}$/,
  /^0x(?:[0-9a-f]{2})+$/,
  /^(?:0|[1-9]\d{0,77})$/,
].map(matches) as [Check, Check, Check, Check];
const isPath: Check = (value) => Array.isArray(value) && value.every(isBytes);
const isKind: Check = matches(/^(?:DEPOSIT|WITHDRAWAL|INTENT|REFUND)$/);
const PLACE = {
  chainId: isInteger,
  blockNumber: isDecimal,
  blockHash: isHash,
  timestamp: isDecimal,
  transactionHash: isHash,
};
const EVIDENCE = { header: isBytes, index: isInteger, transaction: isPath, receipt: isPath };

function readProof(json: unknown, settings: VerifierSettings): ProofFile {
  const same =
    (expected: unknown): Check =>
    (value) =>
      value === expected;
  const { format, version } = (json ?? {}) as Partial<ProofFile>;
  if (format !== 'causeway-proof') throw new ProofFileError('format', 'is not causeway-proof');
  if (version !== VERSION)
    throw new ProofFileError('version', `is ${String(version)}; this program reads version ${VERSION}`);
  const toShape = (side: Side) => {
    const { chainId, contract } = identify(settings, side);
    return { chainId: same(chainId), contract: same(contract) };
  };
  checkShape('bridge', (json as ProofFile).bridge, { ethereum: toShape('ethereum'), partner: toShape('partner') });
  checkShape('', json, {
    format: isKnown,
    version: isKnown,
    bridge: isKnown,
    statement: {
      kind: isKind,
      id: isHash,
      number: nullOr(isDecimal),
      asset: (value) => settings.assets.some(({ symbol }) => symbol === value),
      sender: isAddress,
      recipient: isAddress,
      amount: isDecimal,
      fee: isDecimal,
      wallet: nullOr(isAddress),
      callIndex: nullOr(isInteger),
      began: PLACE,
      paid: PLACE,
    },
    beginning: EVIDENCE,
    payment: EVIDENCE,
  });
  return json as ProofFile;
}

const isKnown: Check = () => true;

/** @throws ProofFileError for the first field that is missing, unknown or malformed. */
function checkShape(path: string, value: unknown, shape: Shape): void {
  if (typeof shape === 'function') {
    if (shape(value)) return;
    const problem = path.startsWith('bridge.')
      ? 'is of another bridge than the address book'
      : 'is malformed or unknown';
    throw new ProofFileError(path, value === undefined ? 'is missing' : `${problem}: ${JSON.stringify(value)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProofFileError(path, 'is not an object');
  const names = new Set([...Object.keys(shape), ...Object.keys(value)]);
  for (const name of names) {
    const next = path === '' ? name : `${path}.${name}`;
    const inner = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (inner === undefined) throw new ProofFileError(next, 'is not a field of a proof');
    checkShape(next, (value as Record<string, unknown>)[name], inner);
  }
}
