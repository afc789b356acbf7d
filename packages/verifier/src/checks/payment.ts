import type { Address } from 'viem';
import { BadAnswerError, readBytes, readList, readObject, readQuantity } from '../blocks/json.js';
import type { TransferOrigin } from '../items.js';
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
  const params = [transactionHash, { tracer: 'callTracer' }];
  const call = await readers.partner.agree('a call tree', async (ask) => {
    const calls: Call[] = [];
    listCalls(await ask('debug_traceTransaction', params), false, calls);
    return calls[callIndex] ?? null;
  });
  if (call === null || call.type !== 'CALL' || call.hasFailed)
    return refuse('ORIGIN_NOT_FOUND', `Call ${callIndex} of ${transactionHash} pays no coin.`);
  return { from: call.from, to: call.to, value: call.value };
}

/** Lists all calls in the order in which they began. */
function listCalls(answer: unknown, isInsideFailed: boolean, calls: Call[]): void {
  const frame = readObject(answer, 'call');
  if (calls.length === MAX_CALLS) throw new BadAnswerError(`a transaction has more than ${MAX_CALLS} calls`);
  const hasFailed = isInsideFailed || frame['error'] !== undefined;
  const value = frame['value'] === undefined ? 0n : readQuantity(frame['value'], 'value');
  const to = frame['to'] === undefined ? null : readBytes(frame['to'], 'to', 20);
  calls.push({ type: String(frame['type']), from: readBytes(frame['from'], 'from', 20), to, value, hasFailed });
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
