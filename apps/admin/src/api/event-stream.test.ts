import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';

/** An EventSource under the test's control. */
class ScriptedSource extends EventTarget {
  readyState = 0;
  close(): void {
    this.readyState = 2;
  }
  says(name: string, data?: string): void {
    this.dispatchEvent(data === undefined ? new Event(name) : new MessageEvent(name, { data }));
  }
}

let now: number;
let sources: ScriptedSource[];
let timers: Map<number, { run: () => void; at: number }>;
let seen: string[];
let stream: EventStream;

/** Advances the time: runs the timers that are due. */
function pass(milliseconds: number): void {
  now += milliseconds;
  for (const [id, { run, at }] of timers) {
    if (at > now) continue;
    timers.delete(id);
    run();
  }
}

beforeEach(() => {
  now = 1_000_000;
  sources = [];
  timers = new Map();
  seen = [];
  let ids = 0;
  stream = new EventStream(
    '/events',
    { onEvent: (name, data) => seen.push(`${name} ${data}`), onGap: () => seen.push('gap') },
    {
      open: () => {
        const source = new ScriptedSource();
        sources.push(source);
        return source as unknown as EventSource;
      },
      now: () => now,
      setTimer: (run, milliseconds) => {
        timers.set(++ids, { run, at: now + milliseconds });
        return ids;
      },
      clearTimer: (id) => timers.delete(id),
    },
  );
  stream.start();
});

describe('the event stream', () => {
  it('is down until it opens, and passes events on', () => {
    expect(stream.downSince()).toBe(now);
    sources[0]!.says('open');
    sources[0]!.says('operation', '{"id":1}');
    sources[0]!.says('resync', '{}');
    sources[0]!.says('heartbeat', '{}');
    expect([stream.downSince(), seen]).toEqual([null, ['operation {"id":1}', 'gap']]);
  });

  it('is left to the browser while it reconnects', () => {
    sources[0]!.says('open');
    pass(5_000);
    sources[0]!.says('error');
    const downAt = now;
    pass(30_000);
    expect([stream.downSince(), sources.length]).toEqual([downAt, 1]);
    sources[0]!.says('open');
    expect([stream.downSince(), seen]).toEqual([null, []]);
  });

  it('is reopened after the server refused it, and reports a gap', () => {
    sources[0]!.readyState = 2;
    sources[0]!.says('error');
    pass(3_000);
    expect([sources.length, seen]).toEqual([2, ['gap']]);
    sources[1]!.says('open');
    expect(stream.downSince()).toBeNull();
  });

  it('is reopened if heartbeats stop without an error', () => {
    sources[0]!.says('open');
    sources[0]!.says('heartbeat', '{}');
    pass(14_000);
    sources[0]!.says('heartbeat', '{}');
    pass(14_000);
    expect([stream.downSince(), sources.length]).toEqual([null, 1]);
    pass(1_000);
    pass(0);
    expect([stream.downSince(), sources.length, seen]).toEqual([now, 2, ['gap']]);
  });

  it('does not reopen after a stop', () => {
    sources[0]!.readyState = 2;
    sources[0]!.says('error');
    stream.stop();
    pass(60_000);
    expect(sources.length).toBe(1);
  });
});
