import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { setAssets } from './assets.js';
import type { AddressBook } from './address-book.js';
import { addressBookSchema } from './address-book-schema.js';

/**
 * Reads and checks an address book, and makes its assets those of this process (`setAssets`).
 *
 * @throws Error in one line that names the file and its missing or wrong fields.
 */
export function readAddressBook(path: string): AddressBook {
  if (!existsSync(path)) {
    throw new Error(`No address book at ${path}: the deployment writes one to deployments/<environment>.json`);
  }
  const book = addressBookSchema.safeParse(parseJsonFile(path));
  if (!book.success) throw new Error(`${path} is not a valid address book: ${describeIssues(book.error)}`);
  setAssets(book.data.assets);
  return book.data;
}

/** Writes an address book as readable JSON. */
export function writeAddressBook(path: string, book: AddressBook): void {
  writeFileSync(path, `${JSON.stringify(book, null, 2)}\n`);
}

/**
 * Parses a JSON file.
 *
 * @throws Error in one line that names the file and where its JSON breaks.
 */
export function parseJsonFile(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
    throw new Error(`${path} is not valid JSON: ${reason}`, { cause: error });
  }
}

/** The issues of a failed check in one line, each with its path. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' ')).join('; ');
}
