import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ChainEngine } from '../src/chain/chain-engine.js';
import { chainOptionsSchema } from '../src/chain/chain-options.js';

const BLOCKS = 5;
/** First field of LMDB's meta page (`MDB_MAGIC`), little-endian. */
const META_MAGIC = Buffer.from('dec0efbe', 'hex');
/** Offset of `mm_dbs[FREE_DBI].md_flags` in a meta page, from its magic. */
const FLAGS_OFFSET = 28;
/** lmdb-js's flag of a transaction that is visible before it is flushed (`MDB_OVERLAPPINGSYNC`). */
const NOT_FLUSHED = 0x1000;

it('a block is flushed to the disk before a reader or a listener can see it', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'partner-chain.flush-'));
  const unflushed: number[] = [];
  const listener = {
    onBlock: () => void unflushed.push(...metaFlags(dataDirectory).filter((flags) => (flags & NOT_FLUSHED) !== 0)),
    onPendingTransaction: () => undefined,
    onFault: () => undefined,
    onFailure: () => undefined,
  };
  const options = chainOptionsSchema.parse({ dataDirectory, blockIntervalMs: 3_600_000 });
  const engine = await ChainEngine.start(options, listener, Date.now);
  try {
    for (let block = 0; block < BLOCKS; block += 1) await engine.mine();
    // LMDB keeps the pages of the last transactions, so a block that was visible too early would still be found.
    expect(metaFlags(dataDirectory).length).toBeGreaterThanOrEqual(2);
    expect(unflushed).toEqual([]);
  } finally {
    await engine.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
});

/** Reads the flags of the meta pages, the first two pages of the file. */
function metaFlags(dataDirectory: string): number[] {
  const pages = readFileSync(join(dataDirectory, 'data.mdb')).subarray(0, 8_192);
  const found: number[] = [];
  for (let at = pages.indexOf(META_MAGIC); at >= 0; at = pages.indexOf(META_MAGIC, at + 4)) {
    found.push(pages.readUInt16LE(at + FLAGS_OFFSET));
  }
  return found;
}
