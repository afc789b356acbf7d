import { z } from 'zod';
import { grammar } from './grammar.js';
import { hexText } from './hex-text.js';

const WORDS =
  'must be a block number (0x and hex digits without leading zeros) or one of latest, earliest, pending, safe, finalized';

/** A block by its number or by a tag (spec "Standard methods"; `safe` and `finalized` as in Ethereum). */
export const blockNumberOrTag = z.union([hexText(grammar.quantity64, WORDS), z.enum(grammar.blockTags)], WORDS).meta({
  id: 'BlockNumberOrTag',
  title: 'block number or tag',
  description: 'A block number, or latest, earliest, pending, safe or finalized.',
});
