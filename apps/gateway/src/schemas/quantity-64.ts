import { grammar } from './grammar.js';
import { hexText } from './hex-text.js';

/** A number up to 2^64 - 1 as Ethereum writes them: block numbers, gas, nonces, indexes. */
export const quantity64 = hexText(
  grammar.quantity64,
  'must be a quantity: 0x and up to 16 hex digits without leading zeros, 0x0 for zero',
).meta({
  id: 'Quantity64',
  title: 'quantity of 64 bits',
  description: 'A number up to 2^64 - 1: 0x and hex digits without leading zeros, 0x0 for zero.',
});
