import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { decodeHeader, readHeader } from './header.js';
import { decodeReceipt, encodeReceipt } from './receipt.js';
import { decodeTransaction, encodeTransaction } from './transaction.js';
import { buildIndexTrie } from './trie.js';

// Blocks of geth, from the tests of the execution APIs.

type Answer = Readonly<Record<string, unknown>>;
interface Vectors {
  readonly headers: Readonly<Record<string, Answer>>;
  readonly block: Answer & { readonly transactions: readonly Answer[] };
  readonly receipts: readonly Answer[];
  readonly transactions: Readonly<Record<string, Answer>>;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/geth.json', import.meta.url), 'utf8'),
) as unknown as Vectors;

describe('headers of geth', () => {
  it.each(Object.entries(vectors.headers))('hash to their hash: %s', (_, header) => {
    const { encoded, ...read } = readHeader(header);
    expect(read.hash).toBe(header['hash']);
    expect(decodeHeader(encoded)).toEqual({ encoded, ...read });
  });

  it.each(Object.keys(vectors.headers['prague'] ?? {}).filter((name) => name !== 'totalDifficulty' && name !== 'hash'))(
    'have another hash with another %s',
    (name) => {
      const header = vectors.headers['prague'] ?? {};
      const text = String(header[name]);
      const changed = { ...header, [name]: `${text.slice(0, -1)}${text.endsWith('1') ? '2' : '1'}` };
      expect(() => readHeader(changed)).toThrow(/the header gives the hash|must/);
    },
  );
});

describe('transactions of geth', () => {
  it.each(Object.entries(vectors.transactions))('have the right hash and sender: %s', async (_, answer) => {
    const transaction = decodeTransaction(encodeTransaction(answer));
    expect(transaction.hash).toBe(answer['hash']);
    expect(await transaction.recoverSender()).toBe(answer['from']);
  });

  it('are rejected if their type is unknown', () => {
    expect(() => encodeTransaction({ ...vectors.block.transactions[0], type: '0x7e' })).toThrow(
      'type 126 is not known',
    );
  });
});

describe('a block of geth', () => {
  it('has the root of its transactions', () => {
    const encoded = vectors.block.transactions.map(encodeTransaction);
    expect(buildIndexTrie(encoded).root).toBe(vectors.block['transactionsRoot']);
  });

  it('has the root of its receipts, which decode to the same logs', () => {
    const encoded = vectors.receipts.map(encodeReceipt);
    expect(buildIndexTrie(encoded).root).toBe(vectors.block['receiptsRoot']);
    const logs = encoded.map((item) => decodeReceipt(item).logs);
    const given = vectors.receipts.map(({ logs: answers }) =>
      (answers as readonly Answer[]).map(({ address, topics, data }) => ({ address, topics, data })),
    );
    expect(logs).toEqual(given);
    expect(encoded.map((item) => decodeReceipt(item).hasSucceeded)).toEqual(
      vectors.receipts.map(({ status }) => status === '0x1'),
    );
  });
});
