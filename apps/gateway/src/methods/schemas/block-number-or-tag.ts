import { z } from 'zod';
import { hexText } from './hex-text.js';

const WORDS =
  'must be a block number (0x and hex digits without leading zeros) or one of latest, earliest, pending, safe, finalized';

/** A block by its number or by a tag (spec "Standard methods"; `safe` and `finalized` as in Ethereum). */
export const blockNumberOrTag = z
  .union(
    [
      hexText(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/, WORDS),
      z.enum(['latest', 'earliest', 'pending', 'safe', 'finalized']),
    ],
    WORDS,
  )
  .meta({
    id: 'BlockNumberOrTag',
    title: 'block number or tag',
    description: 'A block number, or latest, earliest, pending, safe or finalized.',
  });
