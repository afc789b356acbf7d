import type { NodeAnswer } from './read-answers.js';

/** An answer with a result in hex, as nodes write it. */
const ANSWER = /\{"jsonrpc":"2\.0","id":([1-9][0-9]{0,14}),"result":"(0x[0-9a-fA-F]*)"\}/y;
/** In a longer text every answer is made a string of its own: as parts of it they would keep it alive for as long as one of them waits for its company. */
const LONGEST = 1024 * 1024;
const OPENING = 0x5b;
const COMMA = 0x2c;
const CLOSING = 0x5d;

/**
 * Reads a batch of answers that are all hex, at half the cost of JSON.parse and without its garbage.
 *
 * @returns what `readAnswers` would, or null if anything at all is written another way: then it has to be read in full.
 */
export function readPlainAnswers(text: string, first: number, count: number): readonly NodeAnswer[] | null {
  if (text.charCodeAt(0) !== OPENING || text.length > LONGEST) return null;
  const answers: NodeAnswer[] = [];
  for (let at = 0; at < text.length - 1; at = ANSWER.lastIndex) {
    if (at > 0 && text.charCodeAt(at) !== COMMA) return null;
    ANSWER.lastIndex = at + 1;
    const match = ANSWER.exec(text);
    // In the order of the calls, as every node answers them that is known to us.
    if (match === null || Number(match[1]) !== first + answers.length) return null;
    answers.push({ result: match[2] });
  }
  return answers.length === count && text.charCodeAt(text.length - 1) === CLOSING ? answers : null;
}
