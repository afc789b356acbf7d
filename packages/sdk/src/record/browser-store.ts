import { InvalidInputError } from '../errors.js';
import type { TransferRecord } from './record.js';
import { parseRecord } from './record-form.js';
import type { RecordStore } from './store.js';

const PREFIX = 'causeway:transfer:';

/** A store of records in a page's `localStorage`, which all tabs of its origin share. */
export interface BrowserStore extends RecordStore {
  load(id: string): TransferRecord | null;
  /** All records, the newest first. Those that cannot be read are left out. */
  list(): readonly TransferRecord[];
  /** Forgets a transfer that has ended. */
  remove(id: string): void;
}

/**
 * @param storage by default the `localStorage` of the page.
 * @throws InvalidInputError where there is none: in a worker, or when the user blocks it.
 */
export function createBrowserStore(storage: Storage = findStorage()): BrowserStore {
  const load = (id: string): TransferRecord | null => {
    const text = storage.getItem(PREFIX + id);
    return text === null ? null : parseRecord(text);
  };
  return {
    load,
    save: (record) => storage.setItem(PREFIX + record.id, JSON.stringify(record)),
    remove: (id) => storage.removeItem(PREFIX + id),
    list: () =>
      Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
        .filter((key) => key.startsWith(PREFIX))
        .flatMap((key) => readOrNone(() => load(key.slice(PREFIX.length))))
        .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)),
  };
}

function findStorage(): Storage {
  try {
    return localStorage;
  } catch {
    throw new InvalidInputError('storage', 'is missing: this platform has no localStorage, or its user blocks it');
  }
}

function readOrNone(read: () => TransferRecord | null): TransferRecord[] {
  try {
    const record = read();
    return record === null ? [] : [record];
  } catch {
    return [];
  }
}
