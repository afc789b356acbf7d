import { describe, expect, it } from '@jest/globals';
import { EventReader, type ServerSentEvent } from './server-sent-events.js';

function readAll(pieces: readonly string[]): { events: ServerSentEvent[]; reader: EventReader } {
  const reader = new EventReader();
  return { events: pieces.flatMap((piece) => reader.push(piece)), reader };
}

const operation = (data: string) => ({ name: 'operation', data });

describe('server-sent events', () => {
  it.each<[string, string, ServerSentEvent[]]>([
    ['one event', 'event: operation\nid: 7\ndata: {}\n\n', [operation('{}')]],
    ['a heartbeat and an event', ':\nid: 4\n\nevent: operation\nid: 7\ndata: {}\n\n', [operation('{}')]],
    ['an event without a name', 'data: a\n\n', [{ name: 'message', data: 'a' }]],
    ['data of several lines', 'data: a\ndata:b\ndata\n\n', [{ name: 'message', data: 'a\nb\n' }]],
    ['one space after the colon, and no more', 'data:  a: b\n\n', [{ name: 'message', data: ' a: b' }]],
    ['an unknown field', 'color: red\ndata: a\n\n', [{ name: 'message', data: 'a' }]],
    ['a name without data', 'event: operation\n\ndata: a\n\n', [{ name: 'message', data: 'a' }]],
    ['an event that is cut off', 'data: a\n\ndata: b\n', [{ name: 'message', data: 'a' }]],
  ])('reads %s, with every end of a line, in pieces cut anywhere', (_, text, expected) => {
    for (const end of ['\n', '\r\n', '\r']) {
      const whole = text.replaceAll('\n', end);
      expect(readAll([whole]).events).toEqual(expected);
      expect(readAll(whole.split('')).events).toEqual(expected);
      for (let cut = 1; cut < whole.length; cut += 1)
        expect(readAll([whole.slice(0, cut), '', whole.slice(cut)]).events).toEqual(expected);
    }
  });

  it('keeps the id of complete events and heartbeats only, and the time before the next connection', () => {
    const { reader } = readAll(['retry: 2500\nid: 7\n\nid: 8\ndata: a']);
    expect(reader).toMatchObject({ lastEventId: '7', retryMs: 2_500 });
    reader.restart();
    expect(reader.push('data: b\n\n')).toEqual([{ name: 'message', data: 'b' }]);
    expect(reader.lastEventId).toBe('7');
    reader.push('id: a\0b\nretry: soon\n\n');
    expect(reader).toMatchObject({ lastEventId: '7', retryMs: 2_500 });
    reader.push('id\n\n');
    expect(reader.lastEventId).toBe('');
  });

  it('refuses an event without an end', () => {
    const reader = new EventReader();
    const pushMany = () => {
      for (let pieces = 0; pieces < 20; pieces += 1) reader.push(`data: ${'a'.repeat(100_000)}\n`);
    };
    expect(pushMany).toThrow('an event is too long');
  });
});
