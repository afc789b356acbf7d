import { bytesToHex } from '@ethereumjs/util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex, trimCallTree, type CallFrame } from './call-tree.js';

const ADDRESS = `0x${'a1'.repeat(20)}` as const;

function frame(input: number, output: number, calls: CallFrame[] = []): CallFrame {
  return {
    type: 'CALL',
    from: ADDRESS,
    to: ADDRESS,
    value: 0n,
    gas: 1_000n,
    gasUsed: 10n,
    input: `0x${'11'.repeat(input)}`,
    output: `0x${'22'.repeat(output)}`,
    error: null,
    calls,
  };
}

/** The minimum gas for a number of bytes. */
const gasFor = (bytes: number): bigint => BigInt(Math.ceil((bytes * 4) / 3));

const listMessages = (root: CallFrame): CallFrame[] => [root, ...root.calls.flatMap(listMessages)];
const countBytes = (root: CallFrame): number =>
  listMessages(root).reduce((sum, { input, output }) => sum + 256 + input.length / 2 + output.length / 2 - 2, 0);

describe('the call tree of a transaction', () => {
  it('is unchanged if the gas is enough, and trimmed if it is not', () => {
    const whole = () => frame(10, 20, [frame(30, 40, [frame(50, 0)]), frame(0, 0)]);
    const bytes = countBytes(whole());
    const tree = whole();
    trimCallTree(tree, gasFor(bytes));
    expect(tree).toEqual(whole());
    trimCallTree(tree, gasFor(bytes - 1));
    expect(tree).toEqual({ ...frame(10, 20, [frame(30, 40, [frame(50, 0)])]), omitted: 1 });
  });

  it('loses a message that is too large and everything below it, but not later messages', () => {
    const tree = frame(0, 0, [frame(0, 0), frame(5_000, 0, [frame(0, 0), frame(0, 0)]), frame(0, 0, [frame(7, 0)])]);
    trimCallTree(tree, gasFor(5_000));
    expect(tree).toEqual({ ...frame(0, 0, [frame(0, 0), frame(0, 0, [frame(7, 0)])]), omitted: 3 });
  });

  it('keeps a SELFDESTRUCT with its message, and does not count it', () => {
    const bomb = (input: number): CallFrame => frame(input, 0, [{ ...frame(0, 0), type: 'SELFDESTRUCT' }]);
    const tree = frame(0, 0, [bomb(2_000), bomb(10)]);
    trimCallTree(tree, gasFor(2 * 256 + 10));
    expect(tree).toEqual({ ...frame(0, 0, [bomb(10)]), omitted: 1 });
  });

  it('marks missing outputs, and keeps the outermost output before inner ones', () => {
    const tree = frame(0, 1_000, [frame(0, 3_000), frame(0, 900)]);
    trimCallTree(tree, gasFor(3 * 256 + 1_900));
    const cut: CallFrame = { ...frame(0, 0), outputOmitted: true };
    expect(tree).toEqual({ ...frame(0, 1_000, [cut, frame(0, 900)]), omitted: 1 });

    const root = frame(0, 5_000, [frame(0, 10)]);
    trimCallTree(root, gasFor(4_000));
    expect(root).toEqual({ ...frame(0, 0, [frame(0, 10)]), outputOmitted: true, omitted: 1 });
  });

  it('keeps payments and the calls that lead to them, without data if there is no room', () => {
    const paid: CallFrame = { ...frame(3_000, 2_000), value: 5n };
    const heir: CallFrame = { ...frame(0, 0), type: 'SELFDESTRUCT', value: 5n };
    const tree = frame(0, 0, [frame(900, 0), frame(4_000, 0, [frame(0, 0), paid]), frame(0, 5_000, [heir])]);
    trimCallTree(tree, gasFor(4 * 256 + 200));
    const bare = { inputOmitted: true, outputOmitted: true } as const;
    expect(tree).toEqual({
      ...frame(0, 0, [
        { ...frame(0, 0, [{ ...frame(0, 0), ...bare, value: 5n }]), inputOmitted: true },
        { ...frame(0, 0, [heir]), outputOmitted: true },
      ]),
      omitted: 6,
    });
  });

  it('keeps the payments nearest to the transaction if there are too many', () => {
    const pays = (): CallFrame => ({ ...frame(0, 0), value: 5n });
    const below = (depth: number, bottom: CallFrame): CallFrame =>
      depth === 0 ? bottom : frame(0, 0, [below(depth - 1, bottom)]);
    const deep = Array.from({ length: 200 }, () => below(150, pays()));
    const near = Array.from({ length: 1_000 }, () => below(9, pays()));
    const tree = frame(0, 0, [...deep, ...near]);
    const messages = listMessages(tree).length;
    trimCallTree(tree, 0n);
    expect(tree.calls).toEqual(Array.from({ length: 1_000 }, () => below(9, pays())));
    expect(tree.omitted).toBe(messages - 10_001);
    const alone = frame(
      0,
      0,
      Array.from({ length: 100 }, () => below(150, pays())),
    );
    trimCallTree(alone, 0n);
    expect(alone.omitted).toBeUndefined();
  });

  it('treats only messages that move coin as payments', () => {
    const shows = (type: CallFrame['type']): CallFrame => ({ ...frame(5_000, 0), type, value: 5n });
    const tree = frame(0, 0, [shows('DELEGATECALL'), shows('CALLCODE'), shows('CREATE2')]);
    trimCallTree(tree, 1_000n);
    expect(tree.calls.map(({ type }) => type)).toEqual(['CREATE2']);
  });

  it('counts a missing piece once', () => {
    const cut: CallFrame = { ...frame(0, 0), outputOmitted: true };
    const tree = { ...frame(0, 0, [frame(9_000, 0, [cut])]), omitted: 1 };
    trimCallTree(tree, 1_000n);
    expect(tree).toEqual({ ...frame(0, 0), omitted: 2 });
  });

  it('adds to the pieces omitted during execution', () => {
    const tree = { ...frame(0, 0, [frame(9_000, 0)]), omitted: 7 };
    trimCallTree(tree, 21_000n);
    expect(tree.omitted).toBe(7);
    trimCallTree(tree, 1_000n);
    expect(tree).toEqual({ ...frame(0, 0), omitted: 8 });
  });

  it('never exceeds its share, and counts all missing pieces', () => {
    const size = fc.nat({ max: 2_000 });
    const { tree } = fc.letrec<{ tree: CallFrame }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.tuple(size, size).map(([input, output]) => frame(input, output)),
        fc
          .tuple(size, size, fc.array(tie('tree'), { maxLength: 4 }))
          .map(([input, output, calls]) => frame(input, output, calls)),
      ),
    }));
    fc.assert(
      // A transaction's gas always suffices for its input.
      fc.property(tree, fc.integer({ min: 4_000, max: 40_000 }), (root, gas) => {
        const [messages, bytes] = [listMessages(root).length, countBytes(root)];
        const share = Math.floor((gas * 3) / 4);
        trimCallTree(root, BigInt(gas));
        expect(countBytes(root)).toBeLessThanOrEqual(share);
        const kept = listMessages(root);
        const cut = kept.filter(({ outputOmitted }) => outputOmitted === true);
        expect(kept.length - cut.length + (root.omitted ?? 0)).toBe(messages);
        expect(root.omitted === undefined).toBe(bytes <= share);
      }),
    );
  });
});

it('toHex encodes any bytes, also a part of a longer array', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat({ max: 5 }), (bytes, start) => {
      const part = bytes.subarray(start);
      expect(toHex(part)).toBe(bytesToHex(part));
    }),
  );
});
