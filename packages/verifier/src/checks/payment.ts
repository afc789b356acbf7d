import type { Address, Hex } from 'viem';
import { BadAnswerError, readBytes, readList, readObject, readQuantity } from '../blocks/json.js';
import type { TransferOrigin } from '../items.js';
import type { QuorumReader } from '../nodes/quorum-reader.js';
import { refuse } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import { proveOrigin, type ProvenOrigin } from './origin.js';

interface Payment {
  readonly from: Address;
  readonly to: Address | null;
  /** In wei of JSON-RPC. */
  readonly value: bigint;
}

export interface ProvenPayment extends ProvenOrigin {
  readonly payment: Payment;
}

/** A call of a transaction. A failed call, or a call inside a failed one, moves no coin. */
interface Call extends Payment {
  readonly type: string;
  readonly input: Hex;
  readonly hasFailed: boolean;
}

/** Maximum calls of a transaction that are read. */
const MAX_CALLS = 10_000;

/**
 * Proves a payment of native XCN on the partner chain. A plain transfer is proven by its block's roots, its sender by
 * the signature. An internal call leaves no trace in its block, so a quorum of nodes must return the same call tree.
 */
export async function provePayment(
  verifier: Verifier,
  origin: TransferOrigin,
  finals: FinalHeaders,
): Promise<ProvenPayment> {
  const proven = await proveOrigin(verifier, 'partner', origin, finals);
  return { ...proven, payment: await readPayment(verifier, origin, proven) };
}

async function readPayment(
  { readers }: Verifier,
  { transactionHash, callIndex }: TransferOrigin,
  { transaction }: ProvenOrigin,
): Promise<Payment> {
  const { to, value } = transaction;
  if (callIndex === 0) return { from: await transaction.recoverSender(), to, value };
  const call = await readCalls(readers.partner, transactionHash, (calls) => calls[callIndex] ?? null);
  if (call === null || !paysCoin(call))
    return refuse('ORIGIN_NOT_FOUND', `Call ${callIndex} of ${transactionHash} pays no coin.`);
  return { from: call.from, to: call.to, value: call.value };
}

/** The finding of a quorum of nodes among the calls of a transaction, which are in the order in which they began. */
export async function readCalls<T>(
  reader: QuorumReader,
  transactionHash: Hex,
  pick: (calls: readonly Call[]) => T,
): Promise<T> {
  const params = [transactionHash, { tracer: 'callTracer' }];
  return reader.agree('a call tree', async (ask) => {
    const calls: Call[] = [];
    listCalls(await ask('debug_traceTransaction', params), false, calls);
    return pick(calls);
  });
}

/** Whether a call moves its value. */
export function paysCoin({ type, hasFailed }: Call): boolean {
  return type === 'CALL' && !hasFailed;
}

/** Lists all calls in the order in which they began. */
function listCalls(answer: unknown, isInsideFailed: boolean, calls: Call[]): void {
  const frame = readObject(answer, 'call');
  if (calls.length === MAX_CALLS) throw new BadAnswerError(`a transaction has more than ${MAX_CALLS} calls`);
  const hasFailed = isInsideFailed || frame['error'] !== undefined;
  const value = frame['value'] === undefined ? 0n : readQuantity(frame['value'], 'value');
  const to = frame['to'] === undefined ? null : readBytes(frame['to'], 'to', 20);
  const input = frame['input'] === undefined ? '0x' : readBytes(frame['input'], 'input');
  const from = readBytes(frame['from'], 'from', 20);
  calls.push({ type: String(frame['type']), from, to, value, input, hasFailed });
  for (const inner of frame['calls'] === undefined ? [] : readList(frame['calls'], 'calls'))
    listCalls(inner, hasFailed, calls);
}

/**
 * The relayer wallet of BridgeMint after a block, from its events, so that no old state is needed.
 *
 * @returns null before its deployment.
 */
export async function readWalletAt(verifier: Verifier, block: bigint): Promise<Address | null> {
  return (await verifier.histories.partner.at(block)).wallets.at(-1) ?? null;
}

/** All relayer wallets of BridgeMint up to a block. */
export async function readWallets({ histories }: Verifier, block: bigint): Promise<readonly Address[]> {
  return [...new Set((await histories.partner.at(block)).wallets)];
}
