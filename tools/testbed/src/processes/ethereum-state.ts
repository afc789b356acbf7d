import { open, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/**
 * Writes the whole state of an anvil node to a file for `--load-state`. The file is replaced atomically: after a crash
 * or on a full disk, it holds the previous state. anvil's own `--state` truncates the file first.
 *
 * @param options stopMining: the node makes no block after the saved ones.
 * @throws Error when the node does not answer or the file cannot be written.
 */
export async function saveEthereumState(
  url: string,
  file: string,
  options: { readonly stopMining: boolean } = { stopMining: false },
): Promise<void> {
  if (options.stopMining) await callNode(url, 'evm_setIntervalMining', [0]);
  const compressed = await callNode(url, 'anvil_dumpState', []);
  const state = await promisify(gunzip)(Buffer.from(String(compressed).slice(2), 'hex'));
  const part = `${file}.${process.pid}.part`;
  try {
    const handle = await open(part, 'w');
    try {
      await handle.writeFile(state);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

async function callNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}
