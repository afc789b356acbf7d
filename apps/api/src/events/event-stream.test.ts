import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { EventStream, type Update } from './event-stream.js';

const ID: Hex = `0x${'1'.repeat(64)}`;
const ADDRESS: Hex = `0x${'a'.repeat(40)}`;

/** A connection. `waiting`: bytes that its reader has not read. */
function connection(waiting = 0) {
  const written: string[] = [];
  const calls: string[] = [];
  const output = {
    writableLength: waiting,
    write: (text: string) => written.push(text),
    end: () => calls.push('end'),
    destroy: () => calls.push('destroy'),
  };
  return { output, calls, text: () => written.join(''), onDropped: () => calls.push('dropped') };
}

function update(n: number, changedIn: bigint, over: Partial<Update> = {}): Update {
  const operationId: Hex = `0x${n.toString(16).padStart(64, '0')}`;
  return { operationId, changedIn, isTerminal: false, data: `{"n":${n},"in":${changedIn}}`, ...over };
}

/** The ids and data of the events of a text. */
function parseEvents(text: string) {
  return [...text.matchAll(/^event: (\w+)\nid: (\d+)\ndata: (.*)$/gm)].map(([, name, id, data]) => ({
    name,
    id,
    data,
  }));
}

function makeStream(followed: object, position = 0n, waiting = 0) {
  const of = connection(waiting);
  return { ...of, stream: new EventStream(followed, position, of.output, of.onDropped) };
}

describe('the events of a stream', () => {
  it('carry the watermark as id only on the last event, so that a break between events loses none', () => {
    const { stream, text } = makeStream({ address: ADDRESS });
    stream.deliver([update(1, 5n), update(2, 7n), update(3, 9n)], 12n);
    expect(parseEvents(text()).map(({ id }) => id)).toEqual(['5', '7', '12']);
    expect(stream.watermark).toBe(12n);
  });

  it('never have an id above a running transaction', () => {
    const { stream, text } = makeStream({ address: ADDRESS });
    stream.deliver([update(1, 5n), update(2, 9n), update(3, 11n)], 8n);
    expect(parseEvents(text()).map(({ id }) => id)).toEqual(['5', '8', '8']);
    // The next round repeats them, with the changes of the transaction.
    stream.deliver([update(4, 8n), update(2, 9n), update(3, 11n)], 12n);
    expect(
      parseEvents(text())
        .map(({ id, data }) => [id, data])
        .slice(3),
    ).toEqual([['12', '{"n":4,"in":8}']]);
  });

  it("begin at the client's position", () => {
    const { stream, text } = makeStream({ id: ID }, 6n);
    stream.deliver([update(1, 5n), update(2, 6n)], 7n);
    expect(parseEvents(text())).toMatchObject([{ data: '{"n":2,"in":6}' }]);
  });

  it('are one resync when there are more than a hundred', () => {
    const { stream, text } = makeStream({ address: ADDRESS });
    const many = Array.from({ length: 101 }, (_, n) => update(n, 5n));
    stream.deliver(many.slice(1), 6n);
    stream.deliver(
      many.map((each) => ({ ...each, changedIn: 6n })),
      7n,
    );
    expect(parseEvents(text()).slice(100)).toEqual([{ name: 'resync', id: '7', data: '{}' }]);
    expect(parseEvents(text())).toHaveLength(101);
  });

  it('end when the followed operation ends', () => {
    for (const [followed, ends] of [
      [{ id: ID }, ['end']],
      [{ address: ADDRESS }, []],
      [{ originTxHash: ID }, []],
    ] as const) {
      const { stream, calls } = makeStream(followed);
      stream.deliver([update(1, 5n, { isTerminal: true })], 6n);
      expect(calls).toEqual(ends);
    }
  });
});

describe('a reader', () => {
  it('is dropped when its queue exceeds the limit', () => {
    const { stream, output, calls, text } = makeStream({ address: ADDRESS });
    output.writableLength = 512 * 1_024;
    stream.deliver([update(1, 5n)], 6n);
    expect(calls).toEqual([]);
    output.writableLength += 1;
    stream.deliver([update(2, 6n)], 7n);
    expect(calls).toEqual(['destroy', 'dropped']);
    stream.deliver([update(3, 7n)], 8n);
    stream.end();
    expect(parseEvents(text())).toHaveLength(2);
    expect(calls).toHaveLength(2);
  });

  it('is dropped when it has read nothing for two heartbeats', () => {
    const { stream, output, calls, text } = makeStream({ address: ADDRESS }, 4n);
    output.writableLength = 10;
    stream.heartbeat();
    output.writableLength = 0;
    stream.heartbeat();
    output.writableLength = 10;
    stream.heartbeat();
    expect(calls).toEqual([]);
    expect(text()).toBe(':\nid: 4\n\n'.repeat(3));
    stream.heartbeat();
    expect(calls).toEqual(['destroy', 'dropped']);
  });
});

/** A database with overlapping transactions: numbers are assigned at begin, and commits come in any order. */
class OverlappingTransactions {
  private readonly running = new Map<bigint, number>();
  private readonly rows = new Map<number, bigint>();
  private next = 1n;

  begin(row: number): void {
    // A second transaction would wait for the row lock.
    if (![...this.running.values()].includes(row)) this.running.set(this.next, row);
    this.next += 1n;
  }

  commit(nth: number): void {
    const [changedIn, row] = [...this.running][nth % Math.max(1, this.running.size)] ?? [];
    if (changedIn === undefined || row === undefined) return;
    this.running.delete(changedIn);
    this.rows.set(row, changedIn);
  }

  since(watermark: bigint) {
    const updates = [...this.rows].filter(([, changedIn]) => changedIn >= watermark);
    const watermarkNow = [...this.running.keys()].reduce((least, each) => (each < least ? each : least), this.next);
    return {
      updates: updates.toSorted(([, one], [, two]) => Number(one - two)).map(([n, changedIn]) => update(n, changedIn)),
      watermark: watermarkNow,
    };
  }

  state(): readonly string[] {
    return [...this.rows].map(([n, changedIn]) => update(n, changedIn).data);
  }
}

describe('a client that resumes with the last id', () => {
  it('has the last state of every operation, wherever connections break and however transactions overlap', () => {
    const step = fc.oneof(
      fc.record({ begin: fc.nat(4) }),
      fc.record({ commit: fc.nat(4) }),
      fc.constant({ round: true }),
      fc.record({ breakAfter: fc.nat(4) }),
    );
    const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const database = new OverlappingTransactions();
      const seen = new Map<string, string>();
      let position = 0n;
      let open = makeStream({ address: ADDRESS }, position);
      let taken = 0;
      const take = (most: number) => {
        for (const { id, data } of parseEvents(open.text()).slice(taken, taken + most)) {
          seen.set(JSON.stringify((JSON.parse(data ?? '') as { n: number }).n), data ?? '');
          position = BigInt(id ?? 0);
          taken += 1;
        }
      };
      const round = () => {
        const { updates, watermark } = database.since(open.stream.watermark);
        open.stream.deliver(updates, watermark);
      };
      const resume = () => {
        open = makeStream({ address: ADDRESS }, position);
        taken = 0;
        round();
      };
      for (const each of steps) {
        if ('begin' in each) database.begin(each.begin);
        else if ('commit' in each) database.commit(each.commit);
        else if ('round' in each) {
          round();
          take(Infinity);
        } else {
          round();
          take(each.breakAfter);
          resume();
        }
      }
      round();
      take(Infinity);
      expect([...seen.values()].toSorted()).toEqual(database.state().toSorted());
    });
    fc.assert(property, { numRuns: 300 });
  });
});
