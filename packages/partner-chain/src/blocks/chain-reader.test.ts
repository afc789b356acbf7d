import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RLP } from '@ethereumjs/rlp';
import { expect, it } from '@jest/globals';
import { keccak256 } from 'viem';
import { openChainDatabase } from '../db/open-database.js';
import { ChainReader } from './chain-reader.js';
import { encodeNumber } from '../db/keys.js';

it('knows the hash of a transaction, also where an earlier version did not keep it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'chain-reader-'));
  const database = openChainDatabase(directory);
  const [raw, sender] = [new Uint8Array(200).fill(7), new Uint8Array(20).fill(8)];
  const hash = keccak256(raw, 'bytes');
  const encodePlace = (index: number) => Buffer.concat([encodeNumber(1), encodeNumber(index)]);
  await database.transactions.put(encodePlace(0), RLP.encode([raw, sender]));
  await database.transactions.put(encodePlace(1), RLP.encode([raw, sender, hash]));
  const reader = new ChainReader(database);
  for (const [index, transaction] of reader.transactions(1).entries()) {
    expect(transaction).toMatchObject({ blockNumber: 1, index, raw, sender, hash });
  }
  expect(reader.transactionAt(1, 0)?.hash).toEqual(hash);
  await database.root.close();
  rmSync(directory, { recursive: true });
});
