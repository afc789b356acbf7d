import { grammar } from './grammar.js';
import { hexText } from './hex-text.js';

/** An address. Its case is not checked (EIP-55 is for people), as nodes do not. */
export const address = hexText(grammar.address, 'must be an address: 0x and 40 hex digits').meta({
  id: 'Address',
  title: 'address',
  description: 'An address: 0x and 40 hex digits, in any case.',
});
