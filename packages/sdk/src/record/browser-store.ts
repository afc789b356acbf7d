import { InvalidInputError } from '../errors.js';
import type { TransferRecord } from './record.js';
import { parseRecord } from './record-form.js';
import type { RecordStore } from './store.js';

const PREFIX = 'causeway:transfer:';

/** A record store in the page's `localStorage`, shared by all tabs of the origin. */
export interface BrowserStore extends RecordStore {
  load(id: string): TransferRecord | null;
  /** Lists all readable records, newest first. */
  list(): readonly TransferRecord[];
  /** Deletes the record of a finished transfer. */
  remove(id: string): void;
}

/**
 * @param storage default: the page's `localStorage`.
 * @throws InvalidInputError if there is none: in a worker, or if the user blocks it.
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
    const problem = 'is missing: this platform has no localStorage, or its user blocks it';
    throw new InvalidInputError('storage', problem, 'Allow this page to store data, then reload it.');
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
