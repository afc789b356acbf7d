import type { CallFrame } from './call-frame.js';
import { isPayment } from './is-payment.js';

/** What a message counts for besides its input and output: about what it takes. A byte takes two as hex, and so does each of these. */
const MESSAGE_BYTES = 256;
/** Messages that stay since they pay or lead to a payment. */
const MAX_PAYING = 20_000;
/** The EVM lets no call go deeper. */
const MAX_DEPTH = 1_024;

/**
 * Cuts the call tree of a transaction down to its share: 3 bytes for each 4 gas that it used.
 *
 * All that a bridge knows of a contract's payment is the call tree, so nobody must be able to hide it: neither who shares a block with it, so what is
 * kept depends on the transaction alone, nor who is called before it. Gas is what the transactions of a block share, and used gas it is: a block has room
 * for the gas limit of its next transaction only, so the gas limits of all may come to hundreds of times what they use, and a call may carry 64 KiB for
 * 100 gas.
 *
 * - Every transaction uses 21,000 gas and has at least 15,750 bytes: 50 messages with 50 bytes each.
 * - One of 200,000 gas has 150,000: 50 messages with 2.6 KiB each, or 500 messages with 32 bytes each.
 * - A block of 60 million gas has 45 million, in memory and on disk about 90 MB; 140 MB where nearly all of it are payments deep down.
 *
 * The outermost message stays: 10 gas and more are paid for each byte of its input. So do messages that pay, and those that lead to them, if need be
 * without what they carry, down to the depth at which they would be more than 20,000: a payment costs 6,700 gas, so that none less than nine calls deep
 * can be pushed out by others. The outermost output comes before what is within, then the messages come in the order in which they began, and those that
 * are too large are left out with all below them. A SELFDESTRUCT goes with its contract's message and counts for nothing: at 5,000 gas each there are few.
 *
 * @param gasUsed as the receipt says.
 */
export function trimCallTree(root: CallFrame, gasUsed: bigint): void {
  const paying = payingIn(root);
  const reserved = MESSAGE_BYTES * paying.size + bytesIn(root.input);
  let room = Math.max(Number((gasUsed * 3n) / 4n) - reserved, 0);
  let omitted = 0;
  const take = (bytes: number): boolean => {
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const trimOutput = (frame: CallFrame): void => {
    if (take(bytesIn(frame.output))) return;
    frame.output = '0x';
    frame.outputOmitted = true;
    omitted += 1;
  };
  const trimInput = (frame: CallFrame): void => {
    if (take(bytesIn(frame.input))) return;
    frame.input = '0x';
    frame.inputOmitted = true;
    omitted += 1;
  };
  const trimCalls = ({ calls }: CallFrame): void => {
    const kept = calls.filter((call) => {
      if (call.type === 'SELFDESTRUCT') return true;
      if (paying.has(call)) trimInput(call);
      else if (!take(MESSAGE_BYTES + bytesIn(call.input))) {
        omitted += piecesIn(call);
        return false;
      }
      trimCalls(call);
      trimOutput(call);
      return true;
    });
    if (kept.length < calls.length) calls.splice(0, calls.length, ...kept);
  };
  trimOutput(root);
  trimCalls(root);
  if (omitted > 0) root.omitted = (root.omitted ?? 0) + omitted;
}

function bytesIn(hex: `0x${string}`): number {
  return hex.length / 2 - 1;
}

/** The outermost message, and those that pay or lead to a payment: all down to a depth. */
function payingIn(root: CallFrame): Set<CallFrame> {
  const downTo = (depth: number): Set<CallFrame> => {
    const paying = new Set([root]);
    collectPaying(root, depth, paying);
    return paying;
  };
  const all = downTo(Infinity);
  if (all.size <= MAX_PAYING) return all;
  let [enough, tooDeep] = [0, MAX_DEPTH];
  while (tooDeep - enough > 1) {
    const depth = (enough + tooDeep) >> 1;
    if (downTo(depth).size <= MAX_PAYING) enough = depth;
    else tooDeep = depth;
  }
  return downTo(enough);
}

/** @returns whether this one pays or leads to a payment, no further down than so many calls. */
function collectPaying(frame: CallFrame, depth: number, paying: Set<CallFrame>): boolean {
  let isPaying = isPayment(frame);
  if (depth > 0) for (const call of frame.calls) if (collectPaying(call, depth - 1, paying)) isPaying = true;
  if (isPaying && frame.type !== 'SELFDESTRUCT') paying.add(frame);
  return isPaying;
}

/** What is missing with it that was not missing before. */
function piecesIn({ type, calls, inputOmitted, outputOmitted }: CallFrame): number {
  const own = type === 'SELFDESTRUCT' ? 0 : 1 - Number(inputOmitted ?? false) - Number(outputOmitted ?? false);
  return calls.reduce((sum, call) => sum + piecesIn(call), own);
}
