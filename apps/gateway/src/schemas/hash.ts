import { grammar } from './grammar.js';
import { hexText } from './hex-text.js';

/** A hash, a topic, or any other word of 32 bytes. */
export const hash = hexText(grammar.word, 'must be 32 bytes: 0x and 64 hex digits').meta({
  id: 'Hash',
  title: 'hash',
  description: '32 bytes: 0x and 64 hex digits.',
});
