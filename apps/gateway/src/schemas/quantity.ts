import { grammar } from './grammar.js';
import { hexText } from './hex-text.js';

/** A number up to 2^256 - 1 as Ethereum writes them. */
export const quantity = hexText(
  grammar.quantity,
  'must be a quantity: 0x and hex digits without leading zeros, 0x0 for zero',
).meta({
  id: 'Quantity',
  title: 'quantity',
  description: 'A number up to 2^256 - 1: 0x and hex digits without leading zeros, 0x0 for zero.',
});
