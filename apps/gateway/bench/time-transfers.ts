import { Pool } from 'undici';
import type { Hex } from 'viem';
import { ACCOUNTS } from './accounts.ts';
import { ask } from './ask.ts';

const BATCH = 20;
const PATIENCE_MS = 120_000;

/**
 * Sends transfers and waits until the last one is in a block.
 *
 * @param transfers for each account its transfers in order; all of them continue where the account is.
 * @returns transfers a second, from the first that is sent to the last that is mined.
 * @throws Error when one is refused or not mined.
 */
export async function timeTransfers(
  url: string,
  transfers: readonly (readonly Hex[])[],
  last: number,
): Promise<number> {
  const pool = new Pool(new URL(url).origin, { connections: transfers.length });
  const begun = performance.now();
  await Promise.all(transfers.map((raws) => sendInOrder(pool, raws)));
  await Promise.all(transfers.map((_, index) => untilMined(url, ACCOUNTS[index]?.address ?? '0x', last)));
  const seconds = (performance.now() - begun) / 1_000;
  await pool.close();
  return transfers.reduce((sum, { length }) => sum + length, 0) / seconds;
}

async function sendInOrder(pool: Pool, raws: readonly Hex[]): Promise<void> {
  for (let first = 0; first < raws.length; first += BATCH) {
    const calls = raws
      .slice(first, first + BATCH)
      .map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }));
    const { body } = await pool.request({
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    });
    const text = await body.text();
    if (text.includes('"error"')) throw new Error(`a transfer was refused: ${text.slice(0, 300)}`);
  }
}

async function untilMined(url: string, address: Hex, nonce: number): Promise<void> {
  const begun = performance.now();
  while (Number(await ask(url, 'eth_getTransactionCount', [address, 'latest'])) < nonce) {
    if (performance.now() - begun > PATIENCE_MS) throw new Error(`the transfers of ${address} were not mined`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
