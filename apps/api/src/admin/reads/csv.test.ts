import { once } from 'node:events';
import { Writable, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { csvCell, CsvFiles } from './csv.js';

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
  ])('for %j is %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});

describe('a file', () => {
  /** A response whose client does not read. */
  function unread() {
    const raw = new Writable({ write: () => undefined });
    const reply = { raw, header: () => reply, send: (stream: Readable) => void stream.pipe(raw) };
    return { raw, reply: reply as unknown as FastifyReply };
  }
  const file = { isOver: false };
  async function* endless(): AsyncGenerator<string, void, void> {
    file.isOver = false;
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      file.isOver = true;
    }
  }

  it('ends when its client stops reading', async () => {
    class Impatient extends CsvFiles {
      protected override readonly partTimeoutMs = 1;
    }
    const { raw, reply } = unread();
    const closed = once(raw, 'close');
    await new Impatient().send(reply, 'file.csv', endless());
    await closed;
    await setImmediate();
    expect(file.isOver).toBe(true);
  });

  it('is refused while four others are being sent', async () => {
    const files = new CsvFiles();
    const four = Array.from({ length: 4 }, unread);
    for (const { reply } of four) await files.send(reply, 'file.csv', endless());
    const fifth = unread();
    await expect(files.send(fifth.reply, 'file.csv', endless())).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 30,
    });
    four[0]?.raw.destroy();
    await setImmediate();
    await files.send(fifth.reply, 'file.csv', endless());
    for (const { raw } of [...four, fifth]) raw.destroy();
  });
});
