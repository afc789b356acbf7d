import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readAddressBook, writeAddressBook } from './address-book-file.js';
import { LOCAL_BOOK_FILE } from '../test/node/fixtures.js';

const directory = mkdtempSync(join(tmpdir(), 'causeway-book-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('the address book', () => {
  it('writes and reads a book, and refuses an invalid address', () => {
    const file = join(directory, 'book.json');
    const book = readAddressBook(LOCAL_BOOK_FILE);
    writeAddressBook(file, book);
    expect(readAddressBook(file)).toEqual(book);
    writeFileSync(file, JSON.stringify({ ...book, relayer: '0x12' }));
    expect(() => readAddressBook(file)).toThrow(
      /^\S+ is not a valid address book: relayer must be 0x and 40 hex digits$/,
    );
    expect(() => readAddressBook(join(directory, 'none.json'))).toThrow(/^No address book at \S+: .*$/);
  });
});
