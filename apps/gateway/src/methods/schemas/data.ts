import { hexText } from './hex-text.js';

/** Bytes of any length. */
export const data = hexText(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be data: 0x and an even number of hex digits').meta({
  id: 'Data',
  title: 'data',
  description: 'Bytes: 0x and two hex digits for each; 0x for none.',
});
