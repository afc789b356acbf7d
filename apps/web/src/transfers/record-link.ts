import { parseRecord, type TransferRecord } from '@causeway/sdk';

/** Writes a record as base64url, for the fragment of a link. Servers do not see a fragment. */
export function encodeRecord(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Parses a record of a link.
 *
 * @throws RecordError
 */
export function decodeRecord(fragment: string): TransferRecord {
  return parseRecord(decodeText(fragment));
}

function decodeText(fragment: string): string {
  try {
    const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0));
  } catch {
    return '';
  }
}

/** The link that continues a transfer on another device. */
export function linkRecord(record: TransferRecord, origin: string): string {
  return `${origin}/continue#${encodeRecord(JSON.stringify(record))}`;
}
