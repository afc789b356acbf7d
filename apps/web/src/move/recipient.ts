import { parseAccount } from '@causeway/sdk';
import { MOVE } from '../words/move.js';

const WORDS = MOVE.recipientProblems;

/** Returns the sentence about a malformed recipient; null for an address. */
export function findRecipientProblem(text: string): string | null {
  const entered = text.trim();
  if (entered === '') return WORDS.empty;
  if (/^[^\s.]+(\.[^\s.]+)+$/.test(entered)) return WORDS.name;
  if (!/^0x[\da-f]*$/i.test(entered)) return WORDS.prefix;
  if (entered.length !== 42) return WORDS.length(entered.length);
  try {
    parseAccount('recipient', entered);
    return null;
  } catch {
    return WORDS.checksum;
  }
}
