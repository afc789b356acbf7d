import { grammar } from './grammar.js';
import { hexText } from './hex-text.js';

/** Bytes of any length. */
export const data = hexText(grammar.data, 'must be data: 0x and an even number of hex digits').meta({
  id: 'Data',
  title: 'data',
  description: 'Bytes: 0x and two hex digits for each; 0x for none.',
});
