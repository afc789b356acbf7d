import { readFile } from 'node:fs/promises';
import { addressBookSchema } from '@causeway/protocol/rest';
import type { AddressBook } from '@causeway/protocol';
import { UsageError } from '../errors.js';

/**
 * Reads the file with the addresses of the contracts.
 *
 * @throws UsageError naming the first wrong field.
 */
export async function readAddressBook(file: string): Promise<AddressBook> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new UsageError('address-book', `cannot be read: ${file} is missing, or is not JSON`);
  }
  const { success, data, error } = addressBookSchema.safeParse(content);
  if (success) return data;
  const [issue] = error.issues;
  throw new UsageError(
    'address-book',
    `is not an address book: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
