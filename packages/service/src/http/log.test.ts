import { describe, expect, it } from '@jest/globals';
import { addTraces, LogOutput } from './log.js';

/** An output whose next bytes, or errors, are these. */
function outputTo(...room: readonly (number | string)[]) {
  const left = [...room];
  let written = '';
  const output = new LogOutput((bytes) => {
    const next = left.shift() ?? Infinity;
    if (typeof next === 'string') throw Object.assign(new Error(next), { code: next });
    const part = bytes.subarray(0, next);
    written += String(part);
    return part.length;
  });
  return { output, written: () => written };
}

describe('the output of a log', () => {
  it('drops and counts lines while a disk is full, and keeps each line whole', () => {
    const { output, written } = outputTo(Infinity, 2, 'ENOSPC', 'ENOSPC', 'ENOSPC');
    for (const line of ['one\n', 'two\n', 'three\n', 'four\n', 'five\n']) output.write(line);
    expect(written()).toBe('one\ntwo\nfive\n');
    expect(output.dropped).toBe(2);
  });

  it('drops every line after its reader has gone', () => {
    const { output } = outputTo('EPIPE', 'EPIPE');
    output.write('one\n');
    output.write('two\n');
    expect(output.dropped).toBe(2);
  });

  it('keeps lines for a reader that is behind, up to a bound', () => {
    const { output, written } = outputTo(...Array.from({ length: 1_001 }, () => 'EAGAIN'));
    for (let line = 0; line < 1_001; line += 1) output.write(`${line}\n`);
    output.flush();
    expect(written().split('\n')).toHaveLength(1_001);
    expect(output.dropped).toBe(1);
  });
});

describe('a line of the log', () => {
  const [first, second] = [`0x${'12'.repeat(32)}`, `0x${'34'.repeat(32)}`];

  it('names the trace of each operation in it', () => {
    expect(addTraces({ operationId: first })).toEqual({ operationId: first, trace_id: '12'.repeat(16) });
    expect(addTraces({ operationIds: [first] })).toMatchObject({ trace_id: '12'.repeat(16) });
    const both = addTraces({ operationIds: [first, second] });
    expect(both).toMatchObject({ trace_ids: ['12'.repeat(16), '34'.repeat(16)] });
    expect(addTraces({ chainId: 1 })).toEqual({ chainId: 1 });
  });
});
