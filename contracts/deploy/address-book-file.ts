import { readFileSync, writeFileSync } from 'node:fs';
import { addressBookSchema, type AddressBook } from './address-book.js';

/**
 * Reads and checks an address book.
 *
 * @throws ZodError naming what is wrong in it.
 */
export function readAddressBook(path: string): AddressBook {
  return addressBookSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Writes an address book as readable JSON. */
export function writeAddressBook(path: string, book: AddressBook): void {
  writeFileSync(path, `${JSON.stringify(book, null, 2)}\n`);
}
