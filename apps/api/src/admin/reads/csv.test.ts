import { describe, expect, it } from '@jest/globals';
import { csvCell } from './csv.js';

describe('csvCell', () => {
  it.each<[string | number | null, string]>([
    [null, ''],
    ['', ''],
    [-5, '-5'],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['1=1', '1=1'],
  ])('of %j is %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});
