import { describe, expect, it } from '@jest/globals';
import { FakeStreams } from '../../test/fake-streams.js';
import { LiveLine } from './live-line.js';

const ERASED = '\u001B[1A\u001B[2K\u001B[1G';

describe('a live line on a terminal', () => {
  it('replaces itself, but not a line that was printed after it', () => {
    const { errors } = new FakeStreams(true);
    const live = new LiveLine(errors, (text) => errors.write(`${text}\n`));
    live.show('CONFIRMING', '1 of 3');
    live.show('CONFIRMING', '2 of 3');
    errors.write('trying again\n');
    live.keep();
    live.show('CONFIRMING', '3 of 3');
    expect(errors.text).toBe(`1 of 3\n${ERASED}2 of 3\ntrying again\n3 of 3\n`);
  });
});
