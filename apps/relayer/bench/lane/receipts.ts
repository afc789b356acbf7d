import type { Anvil } from '@causeway/test-kit';
import type { Hex } from 'viem';

const POLL_MS = 10;
const TIMEOUT_MS = 60_000;
/** Receipts of one HTTP request. */
const BATCH = 200;

interface Receipt {
  readonly status: Hex;
  readonly logs: readonly unknown[];
}

/** Transactions that were sent. `raws`: by their hashes, those that may be sent again. */
interface Sent {
  readonly sender: string;
  readonly hashes: readonly Hex[];
  readonly raws: () => Promise<ReadonlyMap<Hex, Hex>>;
}

/** The result of transactions. `stranded`: the node lost its way with one of them, so the time measures nothing. */
interface Mined {
  readonly events: number;
  readonly stranded: boolean;
}

/**
 * Waits until every transaction is mined, by its receipt: the nonce alone would also count those of others. The last
 * one is polled; then all receipts are read, many in one HTTP request.
 *
 * Anvil's automine strands a transaction that arrives in the moment in which it mines the one before: it stays queued
 * for a predecessor that is mined. Then all that are not mined are dropped and sent again.
 *
 * @throws Error naming the sender and the first transaction that is missing or reverted.
 */
export async function allMined(anvil: Anvil, sent: Sent): Promise<Mined> {
  const { sender, hashes } = sent;
  const endsAt = performance.now() + TIMEOUT_MS;
  let stranded = false;
  let idlePolls = 0;
  while ((await anvil.request('eth_getTransactionReceipt', [hashes.at(-1)])) === null && performance.now() < endsAt) {
    const { pending, queued } = (await anvil.request('txpool_status')) as { pending: Hex; queued: Hex };
    idlePolls = pending === '0x0' && queued !== '0x0' ? idlePolls + 1 : 0;
    if (idlePolls === 10) {
      stranded = true;
      idlePolls = 0;
      await sendStrandedAgain(anvil, sent);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const receipts = await readReceipts(anvil, hashes);
  for (const [index, receipt] of receipts.entries()) {
    if (receipt?.status === '0x1') continue;
    const state = receipt === null ? `is not mined after ${TIMEOUT_MS / 1_000} s` : 'reverted';
    const pool = JSON.stringify(await anvil.request('txpool_status'));
    throw new Error(`${sender}: transaction ${index} ${hashes[index]} ${state}; pool ${pool}`);
  }
  return { events: receipts.reduce((sum, receipt) => sum + (receipt?.logs.length ?? 0), 0), stranded };
}

/** One after the other, so that each is mined before the next one arrives. */
async function sendStrandedAgain(anvil: Anvil, { hashes, raws }: Sent): Promise<void> {
  await anvil.request('anvil_dropAllTransactions');
  const receipts = await readReceipts(anvil, hashes);
  const known = await raws();
  for (const [index, hash] of hashes.entries()) {
    const raw = receipts[index] === null ? known.get(hash) : undefined;
    if (raw !== undefined) await anvil.request('eth_sendRawTransaction', [raw]);
  }
}

async function readReceipts({ url }: Anvil, hashes: readonly Hex[]): Promise<(Receipt | null)[]> {
  const receipts: (Receipt | null)[] = [];
  for (let start = 0; start < hashes.length; start += BATCH) {
    const calls = hashes.slice(start, start + BATCH).map((hash, id) => {
      return { jsonrpc: '2.0', id, method: 'eth_getTransactionReceipt', params: [hash] };
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(calls) };
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answers = (await response.json()) as { id: number; result?: Receipt | null }[];
    receipts.push(...answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result ?? null));
  }
  return receipts;
}
